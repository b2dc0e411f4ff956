//go:build unix

package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/llmtest"
)

// scriptReply is an llmtest.Reply as a script writes it.
type scriptReply struct {
	Text     string
	Thinking string
	Calls    []struct {
		ID, Name string
		// Arguments is a map, or a text that is sent unchanged.
		Arguments any
	}
	Found []llm.Found
	// SearchError is the service's name of a failed search.
	SearchError string `yaml:"search_error"`
	Usage       llm.Usage
	Stop        string
	// Fault is a key of faultNames.
	Fault  string
	Status int
	Header map[string]string
	// Body is JSON, or a text that is sent unchanged.
	Body any
	// Raw is the whole stream.
	Raw string
}

var faultNames = map[string]llmtest.Fault{
	"": llmtest.FaultNone, "cut": llmtest.FaultCut, "end": llmtest.FaultEnd, "stall": llmtest.FaultStall,
	"silence": llmtest.FaultSilence, "error": llmtest.FaultError, "line": llmtest.FaultLine,
}

// readReplies reads the replies for a protocol from a script's directory. The files may be missing.
func readReplies(dir, protocol string) ([]llmtest.Reply, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "replies-"+protocol+".yaml"))
	if errors.Is(err, os.ErrNotExist) {
		raw, err = os.ReadFile(filepath.Join(dir, "replies.yaml"))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var written []scriptReply
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&written); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading replies: %w", err)
	}
	out := make([]llmtest.Reply, 0, len(written))
	for _, w := range written {
		reply, err := w.reply()
		if err != nil {
			return nil, err
		}
		out = append(out, reply)
	}
	return out, nil
}

func (w scriptReply) reply() (llmtest.Reply, error) {
	fault, ok := faultNames[w.Fault]
	if !ok {
		return llmtest.Reply{}, fmt.Errorf("reading replies: unknown fault %q", w.Fault)
	}
	body, err := asJSON(w.Body)
	out := llmtest.Reply{
		Text: w.Text, Thinking: w.Thinking, Stop: w.Stop, Fault: fault, Status: w.Status, Header: w.Header, Body: body, Raw: w.Raw,
		Usage: w.Usage, Found: w.Found, SearchError: w.SearchError,
	}
	for _, call := range w.Calls {
		arguments, failure := asJSON(call.Arguments)
		err = errors.Join(err, failure)
		out.ToolCalls = append(out.ToolCalls, llmtest.ToolCall{ID: call.ID, Name: call.Name, Arguments: arguments})
	}
	return out, err
}

// asJSON returns a text unchanged, "" for nil, and any other value as JSON.
func asJSON(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	default:
		raw, err := json.Marshal(v)
		return string(raw), err
	}
}
