package recording

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

const secret = "sk-live-0123456789"

func create(t *testing.T, path string, values ...string) *Writer {
	t.Helper()
	w, err := Create(path, Run{Aura: "0.1.0", Session: "s"}, func() *redact.Redactor { return redact.New(values...) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// durable waits until all records are on disk, and returns the errors of that.
func durable(w *Writer) error {
	synced, before := w.Sync()
	<-synced
	_, after := w.Sync()
	return errors.Join(before, after)
}

func place(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "s"+Ext)
}

// long is the content of an entry that is written once.
var long = strings.Repeat("long ", short/4)

// TestRepeated records a conversation with the same short answer in each turn. Each list must stay one range of numbers, also after the
// recording is continued.
func TestRepeated(t *testing.T) {
	t.Parallel()
	path := place(t)
	var turns []sdk.Turn
	var list []host.Call
	for i := range 10 {
		turns = append(turns, sdk.Turn{Role: "user", Content: fmt.Sprint(i)}, sdk.Turn{Role: "assistant", Content: "Done."})
		list = append(list, host.Call{Plugin: "p", Point: "BeforeChat", Request: shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{Context: sdk.Context{Turns: turns}}}, Out: sdk.Result{}})
	}
	recorded(t, path, list[:5])
	recorded(t, path, list[5:])
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Calls {
		if request, err := c.Request(); err != nil || !reflect.DeepEqual(request, list[i].Request) {
			t.Errorf("call %d: %v\ngot  %#v\nwant %#v", c.N, err, request, list[i].Request)
		}
		if len(c.Lists[listTurns]) != 1 {
			t.Errorf("call %d: the numbers of the list are %v", c.N, c.Lists[listTurns])
		}
	}
}

// calls returns one call of each kind. The lists of their contexts grow.
func calls(t *testing.T) []host.Call {
	t.Helper()
	turns := []sdk.Turn{{Role: "user", Content: long}, {Role: "assistant", Content: "b"}, {Role: "user", Content: "c"}}
	tools := []sdk.ToolCall{{Name: "Bash", Args: map[string]any{"n": 1, "f": 1.0}, Result: "\xff"}}
	payload, err := shared.EncodePayload([]any{time.Unix(1, 0).UTC(), []byte{0xff}})
	if err != nil {
		t.Fatal(err)
	}
	base := func(n int) sdk.Context { return sdk.Context{Workdir: "/w", Turns: turns[:n], ToolHistory: tools} }
	output := "changed"
	now, number := time.Unix(5, 7).UTC(), ^uint64(0)
	list := []host.Call{
		{Plugin: "p", Point: "BeforeChat", Request: shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{Context: base(1)}}, Out: sdk.Result{Message: "m"}},
		{Plugin: "p", Point: "TransformMessages", Request: shared.HookCall{Point: "TransformMessages", Context: sdk.TransformContext{
			Context: base(2), Messages: []sdk.Message{{ID: "1", Role: "user", Content: "x"}},
		}}, Out: []sdk.Message{{Role: "user", Content: "y"}}},
		{Plugin: "q", Point: "AfterToolExecution", Request: shared.HookCall{Point: "AfterToolExecution", Env: map[string]string{"K": "v"}, Context: sdk.AfterToolContext{
			Context: base(3), ToolResult: "r",
		}}, Out: sdk.Result{Output: &output}},
		{Plugin: "p", Point: host.PointTool, Request: shared.ToolCall{Tool: "T", Context: base(3), Args: map[string]any{"a": 1}}, Out: "out"},
		{Plugin: "p", Point: host.PointPaths, Request: shared.PathsCall{Tool: "T", Args: map[string]any{"a": "b"}}, Out: sdk.ToolPaths{Read: []string{"x"}}},
		{Plugin: "p", Point: host.PointCommand, Request: shared.CommandCall{Name: "c", Context: base(0), Args: "x y"}, Out: sdk.CommandResult{Output: "o"}},
		{Plugin: "q", Point: host.PointEvent, Request: shared.EventCall{Name: "e", Sender: "p", Payload: payload}},
		{
			Plugin: "q", Point: "OnError", Request: shared.HookCall{Point: "OnError", Context: sdk.OnErrorContext{Context: base(3)}},
			Err: &host.Error{Plugin: "q", Kind: host.KindPlugin, Err: errors.New("boom")},
		},
	}
	list[0].Version, list[0].Child, list[0].Asked = "abc", 1, []host.Ask{{Now: &now}, {Rand: &number}}
	return list
}

func recorded(t *testing.T, path string, list []host.Call, values ...string) {
	t.Helper()
	w := create(t, path, values...)
	if err := w.Start(host.Started{Plugin: "p", Version: "abc", Child: 1, Env: []string{"A=b"}}, false); err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		if err := w.Call(i, c, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(durable(w), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRoundTrip checks that a call is read back as it was made, also from a file that two processes wrote.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	path, list := place(t), calls(t)
	recorded(t, path, list[:4])
	recorded(t, path, list[4:])
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calls) != len(list) || len(r.Runs) != 2 || r.Torn || r.Full || !reflect.DeepEqual(r.Plugins(), []string{"p", "q"}) {
		t.Fatalf("read %+v", r)
	}
	for i, c := range r.Calls {
		request, err := c.Request()
		if err != nil || !reflect.DeepEqual(request, list[i].Request) {
			t.Errorf("call %d: %v\ngot  %#v\nwant %#v", c.N, err, request, list[i].Request)
		}
		want := ""
		if list[i].Err != nil {
			want = host.Reason(list[i].Err).Error()
		}
		if c.Failure != want || (c.Out == nil) != (list[i].Out == nil) {
			t.Errorf("call %d: got %+v", c.N, c)
		}
	}
	if first := r.Calls[0]; !reflect.DeepEqual(first.Asked, list[0].Asked) || first.Version != "abc" || first.Child != 1 {
		t.Errorf("got %+v", first)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), long) != 1 {
		t.Errorf("a long entry of a list is not written once: %s, %v", text, err)
	}
}

// TestSecrets checks that no form of a secret is written, also where JSON has it in base64.
func TestSecrets(t *testing.T) {
	t.Parallel()
	path := place(t)
	text := "a " + secret + " b"
	payload, err := shared.EncodePayload(map[string]any{"raw": []byte(text + "\xff")})
	if err != nil {
		t.Fatal(err)
	}
	list := []host.Call{
		{Plugin: "p", Point: "BeforeChat", Request: shared.HookCall{Point: "BeforeChat", Env: map[string]string{"T": secret}, Context: sdk.BeforeChatContext{
			Context: sdk.Context{Turns: []sdk.Turn{{Content: text + "\xff"}}, PluginConfig: map[string]any{secret: 1}},
		}}, Out: sdk.Result{Message: text}},
		{Plugin: "p", Point: host.PointEvent, Request: shared.EventCall{Name: "e", Payload: payload}, Err: &host.Error{Err: errors.New(text)}},
		{Plugin: "p", Point: host.PointTool, Request: shared.ToolCall{Tool: "T", Args: map[string]any{"x": text}}, Out: text},
	}
	list[0].Asked = []host.Ask{{State: &host.StateAsk{Answer: shared.StateAnswer{Value: text}}}}
	recorded(t, path, list, secret)
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), secret) {
		t.Fatalf("%s, %v", raw, err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Calls {
		request, err := c.Request()
		if err != nil || !c.Redacted {
			t.Errorf("call %d: %v, %+v", c.N, err, c)
		}
		if e, ok := request.(shared.EventCall); ok && strings.Contains(string(e.Payload), secret) {
			t.Errorf("the payload has the secret: %q", e.Payload)
		}
	}
}

// TestDamage checks what is said about files that are not whole recordings.
func TestDamage(t *testing.T) {
	t.Parallel()
	path := place(t)
	recorded(t, path, calls(t))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(raw)
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	later := func() string {
		line, _, err := sum{}.encode(nil, record{Run: &Run{Version: Version + 1}})
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}()
	for rule, tt := range map[string]struct {
		text  string
		calls int
		torn  bool
		err   string
	}{
		"whole":                {whole, 8, false, ""},
		"torn in the last":     {whole[:len(whole)-9], 7, true, ""},
		"torn after the brace": {whole[:len(whole)-1], 7, true, ""},
		"zeros at the end":     {whole + "\x00\x00\n", 8, true, ""},
		"reserved":             {whole + strings.Repeat("\x00", reserve), 8, true, ""},
		"torn and reserved":    {whole[:len(whole)-9] + strings.Repeat("\x00", reserve), 7, true, ""},
		"a hole in the last":   {whole[:len(whole)-9] + "\x00\x00\x00\x00\x00\x00\x00\x00\n" + strings.Repeat("\x00", reserve), 7, true, ""},
		"edited":               {strings.Replace(whole, `"m"`, `"n"`, 1), 0, false, "the checksum is wrong"},
		"edited at the end":    {strings.Replace(whole, "boom", "bang", 1), 0, false, "the checksum is wrong"},
		"a line removed":       {strings.Join(append(lines[:3:3], lines[4:]...), ""), 0, false, "the checksum is wrong"},
		"version 1":            {asFirst(t, raw), 8, false, ""},
		"version 1, edited":    {strings.Replace(asFirst(t, raw), `"m"`, `"n"`, 1), 0, false, "the checksum is wrong"},
		"another version":      {later, 0, false, "has version 3, and this aura reads versions 1 to 2"},
		"empty":                {"", 0, false, "nothing was recorded"},
		"a journal":            {`{"meta":{"id":"x"}}` + "\n" + `{"message":{}}` + "\n", 0, false, "not a line of a recording"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Open(path)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || !strings.Contains(err.Error(), path) {
					t.Fatalf("got %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || len(r.Calls) != tt.calls || r.Torn != tt.torn {
				t.Fatalf("got %+v, %v", r, err)
			}
			recorded(t, path, calls(t)) // a torn file is continued after its last whole record
			if r, err = Open(path); err != nil || len(r.Calls) != tt.calls+8 {
				t.Errorf("continued: %+v, %v", r, err)
			}
		})
	}
}

// asFirst returns a recording in version 1 of the format.
func asFirst(t *testing.T, recording []byte) string {
	t.Helper()
	var out []byte
	var before, after sum
	for line := range bytes.Lines(recording) {
		r, next, err := before.decode(bytes.TrimSuffix(line, []byte("\n")))
		if r.Run != nil {
			r.Run.Version = 1
		}
		if err == nil {
			out, after, err = after.encode(out, r)
		}
		if err != nil {
			t.Fatal(err)
		}
		before = next
	}
	return string(out)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct {
		before, after string
		want          []Difference
	}{
		"equal":        {`{"a":1,"b":[1,{"c":null}]}`, `{"b":[1,{"c":null}],"a":1}`, nil},
		"a field":      {`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, []Difference{{"a.c", "2", "3"}}},
		"a new field":  {`{}`, `{"a":"x"}`, []Difference{{"a", "", `"x"`}}},
		"a list":       {`[1,2]`, `[1]`, []Difference{{"[1]", "2", ""}}},
		"another type": {`{"a":null}`, `{"a":{"b":1}}`, []Difference{{"a", "null", `{"b":1}`}}},
		"itself":       {`"a"`, `"b"`, []Difference{{"", `"a"`, `"b"`}}},
		"int or float": {`1`, `1.0`, []Difference{{"", "1", "1.0"}}},
		"nothing":      {``, ``, nil},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			got, err := Compare(json.RawMessage(tt.before), json.RawMessage(tt.after))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// fake is a process that answers with fn.
type fake struct {
	fn     func(call any) (any, error)
	closed *int
}

func (f fake) Do(_ context.Context, call any) (any, time.Duration, error) {
	out, err := f.fn(call)
	return out, 0, err
}

func (f fake) Close() { *f.closed++ }

func (fake) Version() string { return "new" }

func (fake) Refuses(c *Call) string {
	if c.Point == host.PointTool {
		return "it has effects"
	}
	return ""
}

// TestReplay checks which calls are repeated, in which processes, and what is said about each.
func TestReplay(t *testing.T) {
	t.Parallel()
	path := place(t)
	now := time.Unix(3, 0).UTC()
	hook := func(child int, message string, asked ...host.Ask) host.Call {
		c := host.Call{Plugin: "p", Point: "BeforeChat", Request: shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}}, Out: sdk.Result{Message: message}}
		c.Child, c.Asked = child, asked
		return c
	}
	crash := hook(1, "")
	crash.Out, crash.Err = nil, &host.Error{Kind: host.KindCrash, Err: errors.New("died")}
	mixed := hook(2, "0001-01-01", host.Ask{Now: &now})
	mixed.Mixed = true
	recorded(t, path, []host.Call{hook(1, "1970-01-01", host.Ask{Now: &now}), hook(1, "other"), crash, hook(2, "1970-01-01", host.Ask{Now: &now}), mixed, hook(0, "1970-01-01", host.Ask{Now: &now})})
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	opened, closed := 0, 0
	open := func(_ context.Context, plugin string, _ []string, answers *Answers) (Child, error) {
		opened++
		return fake{func(any) (any, error) { return sdk.Result{Message: answers.Now(plugin).Format(time.DateOnly)}, nil }, &closed}, nil
	}
	var got []string
	err = r.Replay(t.Context(), nil, nil, open, func(x Result) error {
		line := x.Unrepeatable
		for _, d := range x.Differences {
			line += " " + d.Field
		}
		got = append(got, line)
		return nil
	})
	want := []string{
		"", "the plugin asked for the time, more often than recorded Message", "the plugin's process ended in the recorded call", "",
		"the plugin worked on several calls at once, so it is not known which of them asked for the time, a random number or state Message", "",
	}
	if err != nil || !reflect.DeepEqual(got, want) || opened != 3 || closed != 3 {
		t.Errorf("%d opened, %d closed, %v, got\n%s", opened, closed, err, strings.Join(got, "\n"))
	}
}

// TestReplayEarlier checks that a difference of a process that worked before the recording began is named.
func TestReplayEarlier(t *testing.T) {
	t.Parallel()
	path := place(t)
	w := create(t, path)
	c := calls(t)[0]
	if err := errors.Join(w.Start(host.Started{Plugin: "p", Child: 1}, true), w.Call(1, c, false), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	open := func(context.Context, string, []string, *Answers) (Child, error) {
		return fake{func(any) (any, error) { return sdk.Result{Message: "other"}, nil }, &closed}, nil
	}
	err = r.Replay(t.Context(), nil, nil, open, func(x Result) error {
		if len(x.Differences) != 1 || x.Unrepeatable != "the plugin's process was called before the recording began" {
			t.Errorf("got %+v", x)
		}
		return nil
	})
	if err != nil || closed != 1 {
		t.Errorf("%d closed, %v", closed, err)
	}
}

// FuzzRead checks that no file makes reading panic, and that what is read can be turned into calls or errors.
func FuzzRead(f *testing.F) {
	line := func(records ...record) (out []byte) {
		var s sum
		for _, r := range records {
			out, s, _ = s.encode(out, r)
		}
		return out
	}
	run := record{Run: &Run{Version: Version}}
	f.Add(line(run, record{Entries: []json.RawMessage{json.RawMessage(`{"Content":"x"}`)}}, record{Call: &Call{
		N: 1, Point: "BeforeChat", Lists: map[string]ranges{"Turns": {{0, 1}}}, Context: json.RawMessage(`{"Context":{"Workdir":"w"}}`),
	}}))
	f.Add(line(run, record{Call: &Call{N: 1, Point: "tool", Args: json.RawMessage(`7`)}}, record{Full: &struct{}{}}))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := read("f", strings.NewReader(string(data)))
		if err != nil {
			return
		}
		for _, c := range r.Calls {
			_, _ = c.Input()
		}
	})
}
