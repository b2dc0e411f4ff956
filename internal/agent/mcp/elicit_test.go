package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asker returns a server with tools that ask the user.
func asker() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "asker", Version: "1"}, nil)
	var mu sync.Mutex
	add := func(name string, params *sdk.ElicitParams) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			answer, ok := r.Params.InputResponses["q"].(*sdk.ElicitResult)
			if !ok {
				return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": params}}, nil
			}
			content, err := json.Marshal(answer.Content)
			return words(answer.Action + " " + string(content)), err
		})
	}
	opened := map[string]bool{}
	s.AddTool(&sdk.Tool{Name: "first", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		args := string(r.Params.Arguments)
		mu.Lock()
		defer mu.Unlock()
		if opened[args] {
			return words("opened"), nil
		}
		opened[args] = !strings.Contains(args, "never")
		data := `{"elicitations":[{"mode":"url","message":"Pay","url":"https://example.com/pay","elicitationId":"3"}]}`
		switch {
		case strings.Contains(args, "form"):
			data = `{"elicitations":[{"mode":"form","message":"Pay"}]}`
		case strings.Contains(args, "nothing"):
			data = `{}`
		case strings.Contains(args, "null"):
			data = `{"elicitations":[null]}`
		}
		return nil, &jsonrpc.Error{Code: sdk.CodeURLElicitationRequired, Message: "pay first", Data: json.RawMessage(data)}
	})
	add("form", &sdk.ElicitParams{Mode: "form", Message: "Who are you?", RequestedSchema: map[string]any{
		"type": "object", "required": []any{"name"},
		"properties": map[string]any{
			"name": map[string]any{"type": "string", "minLength": 2, "title": "Name"},
			"age":  map[string]any{"type": "integer", "minimum": 0},
			"loud": map[string]any{"type": "boolean", "default": true},
		},
	}})
	add("url", &sdk.ElicitParams{Mode: "url", Message: "Pay", URL: "https://example.com/pay", ElicitationID: "1"})
	add("file", &sdk.ElicitParams{Mode: "url", Message: "Look", URL: "file:///etc/passwd", ElicitationID: "2"})
	return s
}

// asking returns a service of asker.
func asking(t *testing.T, old bool) Server {
	t.Helper()
	s := newService(t, old)
	server := asker()
	s.set(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	return over(s)
}

func TestElicitation(t *testing.T) {
	t.Parallel()
	type answers map[string]string
	rows := map[string]struct {
		tool string
		// answers maps labels to texts. A label that is missing is declined.
		answers answers
		fault   error
		want    string
		asked   string
	}{
		"accepted": {tool: "form", answers: answers{"(1 of 3) Name": "Ann", "(2 of 3) age": "41", "(3 of 3) loud": "false"}, want: `accept {"age":41,"loud":false,"name":"Ann"}`},
		"skipped":  {tool: "form", answers: answers{"(1 of 3) Name": "Ann", "(2 of 3) age": "", "(3 of 3) loud": ""}, want: `accept {"loud":true,"name":"Ann"}`},
		"declined": {tool: "form", answers: answers{"(1 of 3) Name": "Ann"}, want: `decline null`},
		"wrong":    {tool: "form", answers: answers{"(1 of 3) Name": "A"}, want: `decline null`},
		"unasked":  {tool: "form", fault: errors.New("no user"), want: `cancel null`},
		"url":      {tool: "url", answers: answers{"": ""}, want: `accept null`, asked: "https://example.com/pay"},
		"no url":   {tool: "url", want: `decline null`, asked: "https://example.com/pay"},
		"file":     {tool: "file", answers: answers{"": ""}, want: `decline null`},
	}
	for name, row := range rows {
		for protocol, old := range map[string]bool{"new protocol": false, "old protocol": true} {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				urls := ""
				ask := func(_ context.Context, q Inquiry) (string, bool, error) {
					if q.Server != "web" || q.Message == "" {
						t.Errorf("asked %+v", q)
					}
					urls += q.URL
					text, ok := row.answers[q.Field]
					return text, ok, row.fault
				}
				set := opened(t, Options{Ask: ask}, asking(t, old))
				if got := must(t, set, "mcp__web__"+row.tool, nil); got != row.want {
					t.Errorf("got %s, want %s", got, row.want)
				}
				if urls != row.asked {
					t.Errorf("asked about %q, want %q", urls, row.asked)
				}
			})
		}
	}
}

// TestElicitationAlone declines without a user, and says so.
func TestElicitationAlone(t *testing.T) {
	t.Parallel()
	var told notices
	set := opened(t, Options{Notify: told.add}, asking(t, false))
	if got := must(t, set, "mcp__web__form", nil); got != "decline null" {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(told.all(), `MCP server "web" asks for input: declined, because nobody can be asked here`) {
		t.Errorf("told %q", told.all())
	}
}

// TestElicitationTime does not count the time in which the user is asked, and ends the question with the call.
func TestElicitationTime(t *testing.T) {
	t.Parallel()
	server := asking(t, false)
	server.Timeout = 300 * time.Millisecond
	begun, ended := make(chan struct{}), make(chan struct{})
	set := opened(t, Options{Ask: func(ctx context.Context, _ Inquiry) (string, bool, error) {
		if ctx.Err() == nil {
			close(begun)
		}
		<-ctx.Done()
		close(ended)
		return "", false, context.Cause(ctx)
	}}, server)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := run(ctx, t, set, "mcp__web__url", nil)
		failed <- err
	}()
	<-begun
	timer := time.NewTimer(3 * server.Timeout)
	defer timer.Stop()
	select {
	case err := <-failed:
		t.Errorf("the call ended while the user was asked: %v", err)
	case <-timer.C:
	}
	cancel()
	<-ended
	if err := <-failed; err == nil {
		t.Error("a call that was cancelled worked")
	}
}

// formatted returns a form with a text of a format.
func formatted(format string) map[string]any {
	return map[string]any{"c": map[string]any{"type": "string", "format": format}}
}

// TestListed shows the titles of the values of a list.
func TestListed(t *testing.T) {
	t.Parallel()
	items := map[string]any{"anyOf": []any{map[string]any{"const": "r", "title": "Red"}, map[string]any{"const": "g"}}}
	f, err := readForm(map[string]any{"type": "object", "properties": map[string]any{"c": map[string]any{"type": "array", "items": items}}})
	if err != nil || f.fields[0].listed() != " (any of r for Red, g, separated by commas)" {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestReadForm(t *testing.T) {
	t.Parallel()
	many := map[string]any{}
	for i := range 30 {
		many[fmt.Sprintf("f%d", i)] = map[string]any{"type": "string"}
	}
	rows := map[string]struct {
		properties map[string]any
		text       string
		want       string
		err        string
	}{
		"titled": {map[string]any{"c": map[string]any{"type": "string", "oneOf": []any{map[string]any{"const": "r", "title": "Red"}}}}, "r", `"r"`, ""},
		"other":  {map[string]any{"c": map[string]any{"type": "string", "enum": []any{"r", "g"}}}, "b", "", "must be one of"},
		"list":   {map[string]any{"c": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": []any{"r", "g"}}}}, "r, g", `["r","g"]`, ""},
		"number": {map[string]any{"c": map[string]any{"type": "number"}}, "x", "", "not a number"},
		"part":   {map[string]any{"c": map[string]any{"type": "integer"}}, "1.5", "", "integer"},
		"nested": {map[string]any{"c": map[string]any{"type": "object"}}, "", "", "cannot type"},
		"many":   {many, "", "", "30 fields"},

		"email":          {formatted("email"), "ann@example.com", `"ann@example.com"`, ""},
		"no email":       {formatted("email"), "Ann <ann@example.com>", "", "not an email address"},
		"uri":            {formatted("uri"), "urn:x", `"urn:x"`, ""},
		"no uri":         {formatted("uri"), "example.com", "", "not a URI"},
		"date":           {formatted("date"), "2026-02-28", `"2026-02-28"`, ""},
		"no date":        {formatted("date"), "2026-02-29", "", "not a date"},
		"date-time":      {formatted("date-time"), "2026-02-28T10:00:00+01:00", `"2026-02-28T10:00:00+01:00"`, ""},
		"no date-time":   {formatted("date-time"), "2026-02-28", "", "not a date and time"},
		"another format": {formatted("phone"), "x", `"x"`, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := readForm(map[string]any{"type": "object", "properties": row.properties})
			var value any
			if err == nil {
				value, err = f.fields[0].value(row.text)
			}
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("got %v, want %s", err, row.err)
				}
				return
			}
			got, _ := json.Marshal(value)
			if err != nil || string(got) != row.want {
				t.Errorf("got %s, %v, want %s", got, err, row.want)
			}
		})
	}
}

// TestRequired has a row for each answer of a server that wants a URL opened before a call. The call is made once more at most.
func TestRequired(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		kind   string
		accept bool
		asked  int
		want   string // the result, or part of the error
	}{
		"opened":      {"", true, 1, "opened"},
		"declined":    {"", false, 1, "the user did not open it"},
		"never taken": {"never", true, 1, "pay first"},
		"a form":      {"form", true, 0, "pay first"},
		"nothing":     {"nothing", true, 0, "pay first"},
		"null":        {"null", true, 0, "pay first"},
	} {
		for protocol, old := range map[string]bool{"new protocol": false, "old protocol": true} {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				asked := 0
				set := opened(t, Options{Ask: func(_ context.Context, q Inquiry) (string, bool, error) {
					asked++
					if q.Server != "web" || q.URL != "https://example.com/pay" || !strings.HasSuffix(q.Message, "answer when you are done there.") {
						t.Errorf("asked %+v", q)
					}
					return "", row.accept, nil
				}}, asking(t, old))
				got, err := run(t.Context(), t, set, "mcp__web__first", map[string]any{"kind": row.kind})
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, row.want) || asked != row.asked || (err == nil) != (row.want == "opened") {
					t.Errorf("got %s after %d questions", got, asked)
				}
			})
		}
	}
}
