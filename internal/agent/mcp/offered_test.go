package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/agent/tool"
)

func init() {
	others["rich"] = func() int {
		if err := richServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			return 1
		}
		return 0
	}
}

var png = []byte("\x89PNG\r\n\x1a\n")

// richServer returns a server that has more than tools.
func richServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "rich", Version: "1"}, &sdk.ServerOptions{
		PageSize:          1,
		CompletionHandler: completeRich,
	})
	add := func(t *sdk.Tool, do func(ctx context.Context, r *sdk.CallToolRequest) *sdk.CallToolResult) {
		t.InputSchema = map[string]any{"type": "object"}
		s.AddTool(t, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return do(ctx, r), nil })
	}
	add(&sdk.Tool{Name: "picture"}, func(context.Context, *sdk.CallToolRequest) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "here"}, &sdk.ImageContent{MIMEType: "image/png", Data: png}, &sdk.AudioContent{MIMEType: "audio/wav", Data: png},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x://blob", MIMEType: "image/png", Blob: png}},
		}}
	})
	schema := map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []any{"n"}}
	structured := func(name string, value any) {
		add(&sdk.Tool{Name: name, OutputSchema: schema}, func(context.Context, *sdk.CallToolRequest) *sdk.CallToolResult {
			return &sdk.CallToolResult{StructuredContent: value, Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}
		})
	}
	structured("right", map[string]any{"n": 1})
	structured("wrong", map[string]any{"n": "one"})
	structured("absent", nil)
	add(&sdk.Tool{Name: "steps"}, func(ctx context.Context, r *sdk.CallToolRequest) *sdk.CallToolResult {
		for i := range 3 {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: 4, Message: fmt.Sprintf("step\n%d", i+1),
			})
		}
		_ = r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "warning", Logger: "disk", Data: "nearly full"}) //nolint:staticcheck // servers of earlier revisions do it
		// The last report is shown before the call ends only if the call lasts.
		_, _ = r.Session.ListRoots(ctx, nil) //nolint:staticcheck // servers of earlier revisions do it
		return words("done")
	})
	add(&sdk.Tool{Name: "more"}, func(context.Context, *sdk.CallToolRequest) *sdk.CallToolResult {
		s.AddPrompt(&sdk.Prompt{Name: "late"}, fixedPrompt("late"))
		s.AddResource(&sdk.Resource{URI: "x://late", Name: "late"}, readRich)
		return words("ok")
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Description: "Greets", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}, {Name: "how"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"] + " " + r.Params.Arguments["how"]}},
				{Role: "user", Content: &sdk.ImageContent{MIMEType: "image/png", Data: png}},
			}}, nil
		})
	s.AddPrompt(&sdk.Prompt{Name: "talk"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: "Hi"}}, {Role: "assistant", Content: &sdk.TextContent{Text: "Yes?"}},
		}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "empty"}, fixedPrompt(" "))
	s.AddResource(&sdk.Resource{URI: "x://text", Name: "A text", MIMEType: "text/plain", Description: "of two lines", Size: 7}, readRich)
	s.AddResource(&sdk.Resource{URI: "x://blob", Name: "A picture", MIMEType: "image/png"}, readRich)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "x://{kind}/of/{name}", Name: "things"}, readRich)
	return s
}

func fixedPrompt(text string) sdk.PromptHandler {
	return func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	}
}

func readRich(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c := &sdk.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: "content of " + r.Params.URI}
	if r.Params.URI == "x://blob" {
		c = &sdk.ResourceContents{URI: r.Params.URI, MIMEType: "image/png", Blob: png}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
}

// completeRich proposes values that say what was asked for.
func completeRich(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	p := r.Params
	values := []string{p.Argument.Value + "-" + p.Argument.Name, "bad\x1b[31m"}
	if p.Context != nil {
		raw, _ := json.Marshal(p.Context.Arguments)
		values = append(values, "a b "+string(raw))
	}
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: values}}, nil
}

// TestOffered lists what a server offers beside tools, page by page.
func TestOffered(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "rich", "rich"), stdio(t, "good", "good"))
	var prompts, resources []string
	for _, p := range set.Prompts() {
		prompts = append(prompts, fmt.Sprint(p.Server, " ", p.Name, len(p.Arguments)))
	}
	for _, r := range set.Resources() {
		resources = append(resources, r.line())
	}
	if got := strings.Join(prompts, ", "); got != "rich empty0, rich greet2, rich talk0" {
		t.Errorf("prompts %s", got)
	}
	want := "rich  x://blob  (A picture; image/png)|rich  x://text  (A text; text/plain; of two lines; 7 bytes)|rich  x://{kind}/of/{name}  (template; things)"
	if got := strings.Join(resources, "|"); got != want {
		t.Errorf("resources %s", got)
	}
	if set.HasResources("good") || !set.HasResources("rich") || set.HasResources("nope") {
		t.Error("the wrong servers have resources")
	}
}

// TestNoResources checks that the tools about resources exist only if there are resources.
func TestNoResources(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "good", "good"))
	if names := toolNames(set.Tools()); slices.Contains(names, ReadName) || slices.Contains(names, ListName) {
		t.Errorf("offered %v", names)
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "rich", "rich"))
	takes := func([]byte) error { return nil }
	refuses := func([]byte) error { return errors.New("the model is blind") }
	for name, row := range map[string]struct {
		prompt     string
		args       map[string]string
		attachable func([]byte) error
		want, fail string
		files      int
	}{
		"arguments and a file": {"greet", map[string]string{"who": "Ada", "how": "warmly"}, takes, "Greet Ada warmly\n\n[image, image/png, 8 bytes: shown as image-2]", "", 1},
		"refused file":         {"greet", nil, refuses, "Greet  \n\n[image, image/png, 8 bytes: not shown, because the model is blind]", "", 0},
		"words of the model":   {"talk", nil, takes, "<message role=\"user\">\nHi\n</message>\n\n<message role=\"assistant\">\nYes?\n</message>", "", 0},
		"empty":                {"empty", nil, takes, " ", `getting prompt empty of MCP server "rich": it is empty`, 0},
		"unknown":              {"nope", nil, takes, "", `getting prompt nope of MCP server "rich":`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := set.Prompt(t.Context(), "rich", row.prompt, row.args, row.attachable)
			if got.Text != row.want || len(got.Files) != row.files {
				t.Errorf("got %q with %d files", got.Text, len(got.Files))
			}
			if (err != nil) != (row.fail != "") || err != nil && !strings.Contains(err.Error(), row.fail) {
				t.Errorf("error %v, want %s", err, row.fail)
			}
		})
	}
	if _, err := set.Prompt(t.Context(), "other", "x", nil, takes); err == nil || !strings.Contains(err.Error(), "known servers: rich") {
		t.Errorf("got %v", err)
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "rich", "rich"), stdio(t, "good", "good"))
	got, err := set.Complete(t.Context(), "rich", "greet", "how", "wa", map[string]string{"who": "Ada"})
	if want := []string{"wa-how", `a b {"who":"Ada"}`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := set.Complete(t.Context(), "good", "greet", "how", "wa", nil); len(got) > 0 || err != nil {
		t.Errorf("a server without completion: %q, %v", got, err)
	}
	for typed, want := range map[string]string{
		"":              "x://blob x://text x://…",
		"x://t":         "x://text x://t-kind/of/…",
		"x://cat/of/To": `x://cat/of/To-name x://cat/of/a%20b%20%7B%22kind%22:%22cat%22%7D`,
		"y":             "",
	} {
		found, err := set.CompleteURI(t.Context(), "rich", typed)
		var uris []string
		for _, r := range found {
			if r.Template {
				r.URI += "…"
			}
			uris = append(uris, r.URI)
		}
		if got := strings.Join(uris, " "); got != want || err != nil {
			t.Errorf("%q becomes %s, %v; want %s", typed, got, err, want)
		}
	}
}

func TestResourceTools(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "rich", "rich"))
	for name, row := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"list":     {ListName, nil, "[none]"},
		"query":    {ListName, map[string]any{"query": "TWO lines"}, "rich  x://text  (A text; text/plain; of two lines; 7 bytes)"},
		"skip":     {ListName, map[string]any{"server": "rich", "skip": 2.0}, "rich  x://{kind}/of/{name}  (template; things)"},
		"nothing":  {ListName, map[string]any{"query": "nope"}, "there are no such resources"},
		"text":     {ReadName, map[string]any{"server": "rich", "uri": "x://text"}, "[resource x://text, text/plain]\ncontent of x://text"},
		"template": {ReadName, map[string]any{"server": "rich", "uri": "x://cat/of/Tom"}, "[resource x://cat/of/Tom, text/plain]\ncontent of x://cat/of/Tom"},
		"blob":     {ReadName, map[string]any{"server": "rich", "uri": "x://blob"}, "[resource x://blob, image/png, 8 bytes: not shown]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := must(t, set, row.tool, row.args)
			if row.want != "[none]" && got != row.want || row.want == "[none]" && strings.Count(got, "\n") != 2 {
				t.Errorf("got %q", got)
			}
		})
	}
	if _, err := run(t.Context(), t, set, ReadName, map[string]any{"server": "rich", "uri": "y://no"}); err == nil || !strings.Contains(err.Error(), "reading resource y://no") {
		t.Errorf("got %v", err)
	}
}

// TestResultFiles gives what a model takes to the model, and describes the rest.
func TestResultFiles(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "rich", "rich"))
	var names []string
	attach := func(name string, _ []byte) (string, error) {
		names = append(names, name)
		if len(names) > 2 {
			return "", errors.New("two are enough")
		}
		return name + "!", nil
	}
	got, err := lookup(t, set, "mcp__rich__picture").Execute(t.Context(), tool.Call{Attach: attach})
	want := "here\n[image, image/png, 8 bytes: shown as image-2!]\n[audio, audio/wav, 8 bytes: shown as audio-3!]\n" +
		"[resource x://blob, image/png, 8 bytes: not shown, because two are enough]"
	if got != want || err != nil || !slices.Equal(names, []string{"image-2", "audio-3", "x://blob"}) {
		t.Errorf("got %q, %v, attached %v", got, err, names)
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	set := opened(t, Options{}, stdio(t, "rich", "rich"))
	for name, fail := range map[string]string{"right": "", "wrong": `does not match the schema that it declares: `, "absent": "it sent none"} {
		_, err := run(t.Context(), t, set, "mcp__rich__"+name, nil)
		if (err == nil) != (fail == "") || err != nil && !strings.Contains(err.Error(), fail) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProgressAndLog shows how far a call is, and nothing after the call. A server that asks for roots gets an error.
func TestProgressAndLog(t *testing.T) {
	t.Parallel()
	logged := make(chan string, 10)
	set := opened(t, Options{Log: func(server, level, text string) { logged <- server + " " + level + " " + text }}, stdio(t, "rich", "rich"))
	var mu sync.Mutex
	var said []string
	over := false
	status := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if over {
			t.Error("a report after the call: " + text)
		}
		said = append(said, text)
	}
	if _, err := lookup(t, set, "mcp__rich__steps").Execute(t.Context(), tool.Call{Status: status}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	over = true
	if len(said) == 0 || !strings.Contains(said[0], " of 4 (") || strings.Contains(strings.Join(said, ""), "\n") {
		t.Errorf("said %q", said)
	}
	mu.Unlock()
	if got := <-logged; got != "rich warning disk: nearly full" {
		t.Errorf("logged %q", got)
	}
}

func TestProgressText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		done, total   float64
		message, want string
	}{
		{1, 4, "", "1 of 4 (25%)"}, {0.5, 0, "half", "0.5: half"}, {9, 3, "", "9 of 3 (100%)"}, {2, 3, "a\tb\n c", "2 of 3 (67%): a b c"}, {-1, 3, "", "-1 of 3 (0%)"},
	} {
		if got := describeProgress(row.done, row.total, row.message); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// TestListsChange lists prompts and resources anew when the server says that they changed.
func TestListsChange(t *testing.T) {
	t.Parallel()
	changed := make(chan struct{}, 10)
	set := opened(t, Options{OnChange: func() { changed <- struct{}{} }}, stdio(t, "rich", "rich"))
	must(t, set, "mcp__rich__more", nil)
	has := func() bool {
		return slices.ContainsFunc(set.Prompts(), func(p Prompt) bool { return p.Name == "late" }) &&
			slices.ContainsFunc(set.Resources(), func(r Resource) bool { return r.URI == "x://late" })
	}
	for !has() {
		<-changed
	}
}

// TestSort has a row for each reason to leave out what a server lists.
func TestSort(t *testing.T) {
	t.Parallel()
	many := make([]*sdk.Resource, 0, 1001)
	for i := range 1001 {
		many = append(many, &sdk.Resource{URI: fmt.Sprint("x://", i)})
	}
	for name, row := range map[string]struct {
		listed catalog
		kept   int
		want   string
	}{
		"no name":    {catalog{prompts: []*sdk.Prompt{nil, {}}}, 0, `prompt "" (it has no name)`},
		"twice":      {catalog{prompts: []*sdk.Prompt{{Name: "a"}, {Name: "a"}}}, 1, `prompt "a" (listed twice)`},
		"control":    {catalog{resources: []*sdk.Resource{{URI: "x://\x1b[2J"}}}, 0, "it"},
		"long":       {catalog{templates: []*sdk.ResourceTemplate{{URITemplate: strings.Repeat("a", maxIdentifier+1)}}}, 0, "its name has more than 2048 bytes"},
		"too many":   {catalog{resources: many}, 1000, "beyond the first 1000"},
		"everything": {catalog{resources: []*sdk.Resource{{URI: "a"}}, templates: []*sdk.ResourceTemplate{{URITemplate: "a"}}}, 2, ""},
	} {
		got, left := (&server{}).sort(row.listed)
		if n := len(got.prompts) + len(got.resources); n != row.kept || !strings.Contains(strings.Join(left, "\n"), row.want) || (row.want == "") != (left == nil) {
			t.Errorf("%s: kept %d, left out %v", name, n, left)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"x://{a}/b/{c}", "{", "{}", "}{", "{a}{b}", "{+a*,b}"} {
		f.Add(seed, "x://1/b/2")
	}
	f.Fuzz(func(t *testing.T, template, typed string) {
		at, ok := parseTemplate(template).locate(typed)
		if ok && !strings.HasPrefix(at.before, typed[:min(len(typed), len(at.before))]) {
			t.Errorf("%q of %q leads to %q", typed, template, at.before)
		}
	})
}

func FuzzHeard(f *testing.F) {
	f.Add(methodProgress, `{"progressToken":"1","progress":1}`)
	f.Add(methodLog, `{"level":"info","data":{"a":[1]}}`)
	f.Fuzz(func(_ *testing.T, method, params string) {
		h := newHearing()
		_, stop := h.follow(func(string) {}, 0)
		h.heard(method, json.RawMessage(params))
		stop()
	})
}
