package host

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// mirror is a tool that returns everything that it sees, field by field, or fails in one of many ways.
const mirror = `package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/idelchi/aura/sdk"
)

var calls int

func Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: "Mirror"} }

func Execute(ctx context.Context, c sdk.Context, args map[string]any) (string, error) {
	calls++
	do, _ := args["do"].(string)
	switch do {
	case "count":
		return fmt.Sprint(calls), nil
	case "error":
		return "", errors.New("no luck")
	case "panic":
		panic("broken")
	case "die":
		go func() { panic("last words") }()
		select {}
	case "hang":
		select {}
	case "listen":
		<-ctx.Done()
		return "", ctx.Err()
	case "large":
		return strings.Repeat("x", 65<<20), nil
	case "larger":
		return strings.Repeat("x", 120<<20), nil
	case "fits":
		return strings.Repeat("\x00", 40<<20), nil
	case "large error":
		return "", errors.New(strings.Repeat("x", 65<<20))
	case "forge":
		fmt.Fprintln(os.NewFile(64, "answers"), "nonsense")
		select {}
	}
	fields := map[string]string{"args": fmt.Sprintf("%#v", args)}
	v := reflect.ValueOf(c)
	for i := 0; i < v.NumField(); i++ {
		fields[v.Type().Field(i).Name] = fmt.Sprintf("%#v", reflect.Indirect(v.Field(i)).Interface())
	}
	env := os.Environ()
	sort.Strings(env)
	fields["environment"] = strings.Join(env, "\n")
	dir, _ := os.Getwd()
	fields["directory"] = dir
	input, err := io.ReadAll(os.Stdin)
	fields["input"] = fmt.Sprintf("%q %v", input, err)
	deadline, ok := ctx.Deadline()
	fields["deadline"] = fmt.Sprint(ok, time.Until(deadline) > time.Second)
	out, err := json.Marshal(fields)
	return string(out), err
}
`

// TestExecuteUnder compares what a tool sees in its plugin's child and in a child that is started for the call under another
// policy.
func TestExecuteUnder(t *testing.T) {
	t.Parallel()
	p, stricter := mirrored(t, mirrorGround(t), 0)
	var sc sdk.Context
	fillValue(reflect.ValueOf(&sc).Elem(), 4)
	sc.Stats.StartTime = time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 3600))
	sc.SystemPrompt = "not utf-8: \xff\xfe"
	args := map[string]any{"x": 1.5, "whole": 2.0, "y": []any{true, nil, map[string]any{"z": 3, "$text": "t"}}, "big": math.MaxInt64}
	seen := func(out string, err error) map[string]string {
		fields := make(map[string]string)
		if err = errors.Join(err, json.Unmarshal([]byte(out), &fields)); err != nil {
			t.Fatal(err, out)
		}
		return fields
	}
	direct, single := seen(p.Execute(t.Context(), toolOf(p), sc, args)), seen(p.ExecuteUnder(t.Context(), stricter, toolOf(p), sc, args))
	const besides = 5
	if want := reflect.TypeFor[sdk.Context]().NumField() + besides; len(direct) != want || len(single) != want {
		t.Errorf("saw %d and %d fields, want %d", len(direct), len(single), want)
	}
	for name, want := range direct {
		if single[name] != want {
			t.Errorf("%s:\ndirect %s\nsingle %s", name, want, single[name])
		}
		if name != "input" && (want == "" || want == `""` || want == "0" || strings.HasSuffix(want, "(nil)")) {
			t.Errorf("%s is empty, which shows nothing: %s", name, want)
		}
	}
	// The one-shot child has not changed the plugin's own state.
	if got, err := p.Execute(t.Context(), toolOf(p), sc, map[string]any{"do": "count"}); got != "2" || err != nil {
		t.Errorf("calls: %s, %v", got, err)
	}
}

// TestExecuteUnderFails compares how a tool fails in both kinds of children.
func TestExecuteUnderFails(t *testing.T) {
	t.Parallel()
	g := mirrorGround(t)
	for do, tt := range map[string]struct {
		limit time.Duration
		kind  ErrorKind
		want  string
	}{
		"error":       {0, KindPlugin, "no luck"},
		"panic":       {0, KindPlugin, "panic: broken"},
		"die":         {0, KindCrash, "exit status 2): panic: last words"},
		"hang":        {10 * time.Second, KindTimeout, "no answer within 10s"},
		"listen":      {10 * time.Second, KindPlugin, "context deadline exceeded"},
		"large":       {0, KindPlugin, "more than the limit of 64 MiB"},
		"larger":      {0, KindPlugin, "more than the limit of 64 MiB"},
		"large error": {0, KindPlugin, "more than the limit of 64 MiB"},
	} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			p, stricter := mirrored(t, g, tt.limit)
			args := map[string]any{"do": do}
			_, direct := p.Execute(t.Context(), toolOf(p), sdk.Context{}, args)
			_, single := p.ExecuteUnder(t.Context(), stricter, toolOf(p), sdk.Context{}, args)
			for way, err := range map[string]error{"direct": direct, "single": single} {
				var e *Error
				if !errors.As(err, &e) || e.Kind != tt.kind || e.Plugin != "mirror" || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %#v (%v), want %v with %q", way, e, err, tt.kind, tt.want)
				}
			}
		})
	}
}

// TestExecuteUnderObserved checks that calls in both kinds of children are reported, whether they fail or not.
func TestExecuteUnderObserved(t *testing.T) {
	t.Parallel()
	p, stricter := mirrored(t, mirrorGround(t), 0)
	var got []Call
	p.sup.opts.Observer.OnCall = func(_ context.Context, c Call) { got = append(got, c) }
	var want []error
	for _, do := range []string{"count", "error"} {
		_, direct := p.Execute(t.Context(), toolOf(p), sdk.Context{}, map[string]any{"do": do})
		_, single := p.ExecuteUnder(t.Context(), stricter, toolOf(p), sdk.Context{}, map[string]any{"do": do})
		want = append(want, direct, single)
	}
	if len(got) != len(want) {
		t.Fatalf("%d calls were reported, want %d", len(got), len(want))
	}
	for i, c := range got {
		if c.Plugin != "mirror" || c.Point != PointTool || !errors.Is(c.Err, want[i]) || c.Waited <= 0 || c.Took <= 0 {
			t.Errorf("call %d: %+v, want error %v", i, c, want[i])
		}
	}
}

// TestExecuteUnderLarge checks that a large output fits into a plugin's default memory limit in both kinds of children,
// whatever its content.
func TestExecuteUnderLarge(t *testing.T) {
	t.Parallel()
	p, stricter := mirrored(t, mirrorGround(t), 0)
	args := map[string]any{"do": "fits"}
	want := strings.Repeat("\x00", 40<<20)
	if got, err := p.Execute(t.Context(), toolOf(p), sdk.Context{}, args); got != want {
		t.Errorf("direct: %d bytes, %v", len(got), err)
	}
	if got, err := p.ExecuteUnder(t.Context(), stricter, toolOf(p), sdk.Context{}, args); got != want {
		t.Errorf("single: %d bytes, %v", len(got), err)
	}
}

func TestExecuteUnderRefuses(t *testing.T) {
	t.Parallel()
	p, stricter := mirrored(t, mirrorGround(t), 0)
	var e *Error
	_, err := p.ExecuteUnder(t.Context(), stricter, toolOf(p), sdk.Context{}, map[string]any{"do": "forge"})
	if !errors.As(err, &e) || e.Kind != KindWire {
		t.Errorf("a forged answer: %v", err)
	}
	_, err = p.ExecuteUnder(t.Context(), stricter, toolOf(p), sdk.Context{SystemPrompt: strings.Repeat("x", 64<<20)}, nil)
	if !errors.As(err, &e) || e.Kind != KindWire || !strings.Contains(err.Error(), "more than the limit of 64 MiB") {
		t.Errorf("too large a call: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ExecuteUnder(ctx, stricter, toolOf(p), sdk.Context{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func mirrorGround(t *testing.T) ground {
	t.Helper()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	return newGround(t, "mirror", mirror)
}

// mirrored starts the mirror under a policy and also returns a stricter policy.
func mirrored(t *testing.T, g ground, limit time.Duration) (*Plugin, *sandbox.Policy) {
	t.Helper()
	policy := g.policy()
	stricter := policy
	stricter.Network = false
	g.plugin.Manifest.Timeout, g.plugin.Manifest.Env = limit, []string{"GIVEN", "TASK"}
	return g.start(t, Spec{Sandbox: &policy, Config: map[string]any{
		"n": 1, "f": 1.0, "list": []any{"a", 2}, "nil": nil, "inf": math.Inf(1), "day": time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
	}}), &stricter
}

// fillValue sets every field to a non-zero value, down to the given depth.
func fillValue(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("filled")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), depth)
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fillValue(field, depth)
			}
		}
	case reflect.Slice:
		if depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fillValue(v.Index(0), depth-1)
		}
	case reflect.Map:
		if depth > 0 && v.Type().Key().Kind() == reflect.String {
			v.Set(reflect.MakeMap(v.Type()))
			value := reflect.New(v.Type().Elem()).Elem()
			fillValue(value, depth-1)
			v.SetMapIndex(reflect.ValueOf("filled").Convert(v.Type().Key()), value)
		}
	default:
	}
}

// toolOf returns the name of the plugin's first tool.
func toolOf(p *Plugin) string {
	exports, _ := p.Exports()
	return exports.Tools[0].Schema.Name
}
