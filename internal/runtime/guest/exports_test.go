package guest

import (
	"fmt"
	"strings"
	"testing"
)

func TestExports(t *testing.T) {
	t.Parallel()
	// What cannot be used of a tool or a command keeps a plugin in Go from loading. Of others, it is left out.
	for name, tt := range map[string]struct{ result, want string }{
		"tool without name": {`"tools":[{"parameters":{}}]`, `tool "": it has no name`},
		"tool twice":        {`"tools":[{"name":"t","parameters":{}},{"name":"t","parameters":{}}]`, `tool "t": it is registered twice`},
		"no parameters":     {`"tools":[{"name":"t"}]`, `tool "t": its parameters are no JSON schema of an object`},
		"endless":           {`"tools":[{"name":"t","parameters":{},"timeout_s":1e9}]`, `tool "t": its timeout is 1e+09 seconds; use one from 0 to 86400`},
		"side effect":       {`"tools":[{"name":"t","parameters":{},"side_effects":["magic"]}]`, `tool "t": "magic" is no side effect`},
		"command":           {`"commands":[{"name":"/c"}]`, `command "/c": the name of a command is one word without a slash`},
		"command twice":     {`"commands":[{"name":"c"},{"name":"c"}]`, `command "c": it is registered twice`},
	} {
		f := guestOf(t, Options{Name: "mine"}, constant(`"result":{"hooks":["BeforeToolExecution"],`+tt.result+`}`))
		got, err := f.client.Load(t.Context())
		if err != nil || len(got.Hooks) != 1 || fmt.Sprint(got.Warnings) != "["+tt.want+"; it is left out]" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		f = guestOf(t, Options{Name: "mine"}, constant(`"result":{"module":"m",`+tt.result+`}`))
		if _, err := f.client.Load(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	for name, tt := range map[string]struct{ result, want string }{
		"nothing": {`{}`, ""},
		"everything": {
			`{"hooks":["SessionEnd","SessionStart"],"tools":[{"name":"t","description":"d","parameters":{"type":"object"},"side_effects":["read"],"requires_approval":true,` +
				`"timeout_s":0.5,"parallel":true}],"commands":[{"name":"c","hints":["h"]}],"listens":["b","a","b"],"emits":["e"],"system_prompt":"p","unread":["Turns"],"warnings":["w"]}`, "",
		},
		"unknown hook": {`{"hooks":["SessionStop"]}`, `the plugin registers the hook "SessionStop", which does not exist`},
		"unknown key":  {`{"hoks":[]}`, `unknown field "hoks"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := guestOf(t, Options{Name: "mine"}, constant(`"result":`+tt.result))
			got, err := f.client.Load(t.Context())
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if name == "everything" && (fmt.Sprint(got.Hooks, got.Listens) != "[SessionStart SessionEnd] [a b]" || got.Tools[0].Timeout.Milliseconds() != 500) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
