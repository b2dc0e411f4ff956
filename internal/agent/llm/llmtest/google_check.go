package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

// googleRequest holds the fields that the server accepts in a request for content.
type googleRequest struct {
	Contents          []googleContent `json:"contents"`
	SystemInstruction googleContent   `json:"systemInstruction"`
	Tools             []struct {
		FunctionDeclarations []struct {
			Name                 string          `json:"name"`
			Description          string          `json:"description"`
			ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
		GoogleSearch *struct{} `json:"googleSearch"`
	} `json:"tools"`
	GenerationConfig struct {
		Temperature      *float64 `json:"temperature"`
		TopP             *float64 `json:"topP"`
		TopK             *float64 `json:"topK"`
		MaxOutputTokens  *int     `json:"maxOutputTokens"`
		StopSequences    []string `json:"stopSequences"`
		Seed             *int     `json:"seed"`
		PresencePenalty  *float64 `json:"presencePenalty"`
		FrequencyPenalty *float64 `json:"frequencyPenalty"`
		ThinkingConfig   *struct {
			IncludeThoughts bool   `json:"includeThoughts"`
			ThinkingBudget  *int   `json:"thinkingBudget"`
			ThinkingLevel   string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

type googleContent struct {
	Role  string       `json:"role"`
	Parts []googlePart `json:"parts"`
}

type googlePart struct {
	Text             *string `json:"text"`
	ThoughtSignature []byte  `json:"thoughtSignature"`
	InlineData       *struct {
		MIMEType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"inlineData"`
	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

func (google) parse(_ string, body []byte) (question, error) { return parse[googleRequest](body) }

func (r googleRequest) check(req Request) error {
	if len(r.Contents) == 0 {
		return errors.New("contents: is not specified")
	}
	strict := strings.Contains(req.Path, "/models/gemini-3")
	var open []string
	for i, content := range r.Contents {
		role := []string{"user", "model"}[i%2]
		err := want(content.Role == role, "role %q where %q is expected", content.Role, role)
		if err == nil {
			open, err = content.check(open, strict)
		}
		if err != nil {
			return fmt.Errorf("contents[%d]: %w", i, err)
		}
	}
	return first(
		want(r.Contents[len(r.Contents)-1].Role == "user", "ensure that the conversation ends with a user role"),
		checkTools(r.tools(), shortName),
		want(r.searches() == 0 || len(r.tools()) == 0, "tools: googleSearch and functionDeclarations are both set"),
	)
}

// googleType returns the usual name of a media type. The service documents another name of one.
func googleType(mediaType string) string {
	switch mediaType {
	case "audio/mp3":
		return files.MP3
	case files.MP3:
		return "undocumented " + files.MP3
	default:
		return mediaType
	}
}

// check returns the functions that the content calls. It requires that the content answers the calls in open.
func (c googleContent) check(open []string, strict bool) ([]string, error) {
	var called, answered []string
	for _, part := range c.Parts {
		switch {
		case part.FunctionCall != nil:
			if strict && len(called) == 0 && len(part.ThoughtSignature) == 0 {
				return nil, fmt.Errorf("function call %s is missing a thought_signature", part.FunctionCall.Name)
			}
			called = append(called, part.FunctionCall.ID+" "+part.FunctionCall.Name)
		case part.FunctionResponse != nil:
			answered = append(answered, part.FunctionResponse.ID+" "+part.FunctionResponse.Name)
			if !isObject(part.FunctionResponse.Response) {
				return nil, errors.New("function_response.response must be an object")
			}
		case part.InlineData != nil:
			err := first(
				want(c.Role == "user" && part.Text == nil, "inline data with text or in a content of role %s", c.Role),
				checkMedia(googleType(part.InlineData.MIMEType), part.InlineData.Data, llm.Needs(part.InlineData.MIMEType)),
			)
			if err != nil {
				return nil, err
			}
		case blank(textOf(part.Text)):
			return nil, errors.New("a part must have data")
		}
	}
	return called, first(
		want(len(c.Parts) > 0, "parts must not be empty"),
		want(strings.Join(open, ",") == strings.Join(answered, ","), "the function response parts %q must equal the function call parts %q", answered, open),
		want(c.Role == "model" || len(called) == 0, "a function call of role %s", c.Role),
	)
}
