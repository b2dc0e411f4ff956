package manifest_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// with returns the default manifest with a change applied.
func with(change func(*manifest.Manifest)) manifest.Manifest {
	m := manifest.Manifest{OnFailure: manifest.FailOpen, Runtime: manifest.GoRuntimeAuto, Limits: manifest.Limits{Memory: 256 << 20}, Decoded: true}
	if change != nil {
		change(&m)
	}

	return m
}

func TestParse(t *testing.T) {
	t.Parallel()

	expr, err := condition.Parse("auto and context_above:70")
	if err != nil {
		t.Fatal(err)
	}

	type m = manifest.Manifest

	tests := []struct {
		name, give string
		want       manifest.Manifest
	}{
		{"empty", "", with(nil)},
		{"name", "name: guard", with(func(m *m) { m.Name = "guard" })},
		{"empty name is none", `name: ""`, with(nil)},
		{"description", "description: Does a thing", with(func(m *m) { m.Description = "Does a thing" })},
		{"disabled", "disabled: true", with(func(m *m) { m.Disabled = true })},
		{"override", "override: true", with(func(m *m) { m.Override = true })},
		{"toolchains", "toolchains: true", with(func(m *m) { m.Toolchains = true })},
		{"opt_in", "opt_in: true", with(func(m *m) { m.OptIn = true })},
		{"once", "once: true", with(func(m *m) { m.Once = true })},
		{"condition", `condition: "auto and context_above:70"`, with(func(m *m) { m.Condition = expr })},
		{"empty condition", `condition: ""`, with(nil)},
		{"env", "env: [A_KEY, _b2]", with(func(m *m) { m.Env = []string{"A_KEY", "_b2"} })},
		{"all of env", `env: ["*"]`, with(func(m *m) { m.Env = []string{"*"} })},
		{"config keeps int, float and nesting", "config: {a: 3, b: 1.5, c: {d: [x, 1]}}", with(func(m *m) {
			m.Config = map[string]any{"a": 3, "b": 1.5, "c": map[string]any{"d": []any{"x", 1}}}
		})},
		{"timeout as a duration", "timeout: 1m30s", with(func(m *m) { m.Timeout = 90 * time.Second })},
		{"timeout in seconds", "timeout: 30", with(func(m *m) { m.Timeout = 30 * time.Second })},
		{"on_failure open", "on_failure: open", with(nil)},
		{"runtime auto", "runtime: auto", with(nil)},
		{"runtime interpreted", "runtime: interpreted", with(func(m *m) { m.Runtime = manifest.GoRuntimeInterpreted })},
		{"runtime native", "runtime: native", with(func(m *m) { m.Runtime = manifest.GoRuntimeNative })},
		{"on_failure closed", "on_failure: closed", with(func(m *m) { m.OnFailure = manifest.FailClosed })},
		{"memory in bytes", "limits: {memory: 134217728}", with(func(m *m) { m.Limits.Memory = 134217728 })},
		{"memory as text", `limits: {memory: "134217728"}`, with(func(m *m) { m.Limits.Memory = 134217728 })},
		{"memory in B", "limits: {memory: 67108864B}", with(func(m *m) { m.Limits.Memory = 64 << 20 })},
		{"memory in KB", "limits: {memory: 100000KB}", with(func(m *m) { m.Limits.Memory = 100_000_000 })},
		{"memory in KiB", "limits: {memory: 100000KiB}", with(func(m *m) { m.Limits.Memory = 102_400_000 })},
		{"memory in MB", "limits: {memory: 256MB}", with(func(m *m) { m.Limits.Memory = 256_000_000 })},
		{"memory in MiB", "limits: {memory: 512 MiB}", with(func(m *m) { m.Limits.Memory = 512 << 20 })},
		{"memory in GB", "limits: {memory: 1.5gb}", with(func(m *m) { m.Limits.Memory = 1_500_000_000 })},
		{"memory in GiB", "limits: {memory: 2GiB}", with(func(m *m) { m.Limits.Memory = 2 << 30 })},
		{"empty limits", "limits:", with(nil)},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got, err := manifest.Parse("plugin.yaml", []byte(tt.give))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()

	tests := []struct{ name, give, want string }{
		{"unknown key", "name: x\ndescr: y", `p.yaml:2: unknown key "descr"; known keys: condition, config,`},
		{"unknown limit", "limits: {cpu: 1}", `p.yaml:1: unknown key "cpu" in "limits"; known keys: memory`},
		{"duplicate key", "once: true\nonce: true", `p.yaml:2: duplicate key "once"`},
		{"wrong type", "\ndisabled: 3", `p.yaml:2: key "disabled": expected true or false`},
		{"env is no list", "env: HOME", `p.yaml:1: key "env": expected a list`},
		{"config is no mapping", "config: [a]", `p.yaml:1: key "config": expected a mapping`},
		{"slash in name", "name: a/b", `p.yaml:1: key "name": "a/b" has a slash`},
		{"backslash in name", `name: a\b`, `p.yaml:1: key "name": "a\\b" has a slash`},
		{"dots in name", "name: a..b", `p.yaml:1: key "name": "a..b" has ".." in it`},
		{"hidden name", "name: .a", `p.yaml:1: key "name": ".a" begins with a dot`},
		{"control character in name", `name: "a\eb"`, `p.yaml:1: key "name": "a\x1bb" contains characters`},
		{"wildcard in name", "name: a*", `p.yaml:1: key "name": "a*" has a wildcard`},
		{"blank name", `name: " "`, `p.yaml:1: key "name": " " is empty or has blanks`},
		{"long name", "name: " + strings.Repeat("x", 129), `p.yaml:1: key "name": a name has at most 128 bytes`},
		{"variable name", "env:\n - OK\n - NOT-OK", `p.yaml:3: key "env[1]": "NOT-OK" is not the name`},
		{"variable pattern", "env: ['MY_*']", `p.yaml:1: key "env[0]": "MY_*" is not the name`},
		{"variable with digit first", "env: [1A]", `p.yaml:1: key "env[0]": "1A" is not the name`},
		{"timeout zero", "timeout: 0", `p.yaml:1: key "timeout": 0 is not a positive`},
		{"timeout negative", "timeout: -5", `p.yaml:1: key "timeout": -5 is not a positive`},
		{"timeout negative duration", "timeout: -5s", `p.yaml:1: key "timeout": "-5s" is not positive`},
		{"timeout too long", "timeout: 99999999999", `p.yaml:1: key "timeout": 99999999999 is not a positive`},
		{"timeout word", "once: true\ntimeout: soon", `p.yaml:2: key "timeout": "soon" is not a duration: write`},
		{"timeout fraction", "timeout: 1.5", `p.yaml:1: key "timeout": 1.5 is not a duration`},
		{"on_failure", "on_failure: maybe", `p.yaml:1: key "on_failure": "maybe" is neither "open" nor "closed"`},
		{"memory too small", "limits:\n  memory: 32MB", `p.yaml:2: key "limits.memory": 32MB is less than the minimum of 64MiB`},
		{"memory negative", "limits: {memory: -1}", `p.yaml:1: key "limits.memory": -1 is less than`},
		{"memory unit", "limits: {memory: 3 apples}", `p.yaml:1: key "limits.memory": 3 apples is not an amount of memory`},
		{"memory fraction", "limits: {memory: 1.5}", `p.yaml:1: key "limits.memory": 1.5 is not an amount`},
		{"memory list", "limits: {memory: [1]}", `p.yaml:1: key "limits.memory": [1] is not an amount`},
		{"memory too large", "limits: {memory: 99999999TiB}", `p.yaml:1: key "limits.memory": 99999999TiB is more than`},
		{"condition", "once: true\ncondition: bogus", `p.yaml:2: key "condition": parsing condition "bogus": unknown term`},
		{"condition type", "condition: true", `p.yaml:1: key "condition": expected text`},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, err := manifest.Parse("p.yaml", []byte(tt.give))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Fatalf("got  %v\nwant %s…", err, tt.want)
			}

			var invalid *manifest.ConditionError
			if errors.As(err, &invalid) != (tt.name == "condition") {
				t.Errorf("a condition error: %v", invalid)
			}
		})
	}
}

func TestParseConditionErrorAmongOthers(t *testing.T) {
	t.Parallel()

	_, err := manifest.Parse("p.yaml", []byte("disabled: true\ncondition: bogus\ntimeout: 0\n"))

	var invalid *manifest.ConditionError
	if !errors.As(err, &invalid) || invalid.File != "p.yaml" || invalid.Line != 2 {
		t.Errorf("got %+v", invalid)
	}
}

// TestParseSalvages checks that a guard does not fail open because of an error elsewhere in its manifest.
func TestParseSalvages(t *testing.T) {
	t.Parallel()

	tests := []struct {
		give     string
		want     manifest.OnFailure
		disabled bool
	}{
		{"descr: x\non_failure: closed\n", manifest.FailClosed, false},
		{"on_failure: \"closed\"\n\tbroken: [", manifest.FailClosed, false},
		{"on_failure: closed\ntimeout: 0\n", manifest.FailClosed, false},
		{"on_failure: clsoed\n", manifest.FailClosed, false},
		{"{on_failure: closed, descr: x}\n", manifest.FailClosed, false},
		{"descr: x\n'on_failure': !!str closed\n", manifest.FailClosed, false},
		{"descr: x\non_failure:\n  closed\n", manifest.FailClosed, false},
		{"? on_failure\n  : &a closed\ndescr: *b\n", manifest.FailClosed, false},
		{"descr: x\non_failure: open # closed\n", manifest.FailOpen, false},
		{"on_failure: open\ndescr: closed\n", manifest.FailOpen, false},
		{"descr: x\n", manifest.FailOpen, false},
		{"descr: x\n# on_failure: closed\n", manifest.FailOpen, false},
		{"descr: x\ndisabled: true\n", manifest.FailOpen, true},
	}

	for _, tt := range tests {
		got, err := manifest.Parse("p.yaml", []byte(tt.give))
		if err == nil || got.OnFailure != tt.want || got.Disabled != tt.disabled {
			t.Errorf("%q: got %+v, %v", tt.give, got, err)
		}
	}
}

// TestParseEnvOfBroken checks when the variables of a manifest with a fault are known, so that one that was withdrawn is seen.
func TestParseEnvOfBroken(t *testing.T) {
	t.Parallel()

	for give, want := range map[string]string{
		"env: [A]\ntimeout: 0\n":     "known [A]",
		"env: [A]\ndescr: x\n":       "known [A]",
		"descr: x\n":                 "known []",
		"env: {A: B}\ndescr: x\n":    "unknown []",
		"env: [A]\nenv: []\n":        "unknown []",
		"env: [A]\ndescription: [\n": "unknown []",
	} {
		m, err := manifest.Parse("p.yaml", []byte(give))

		got := "unknown "
		if m.Decoded {
			got = "known "
		}

		if got += fmt.Sprint(m.Env); err == nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", give, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "name: x\ncondition: auto\n", "limits: {memory: 1.5GiB}", "timeout: 10s", "env: ['*', A]", "on_failure: closed",
		"config: {a: {b: [1, 2.5, x]}}", "limits: {memory: 9e99}", "timeout: 9223372036854775807", "env: [~]",
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := manifest.Parse("p.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.yaml:") {
				t.Errorf("the error names no file: %v", err)
			}

			return
		}

		if m.Limits.Memory < manifest.MinMemory || m.Timeout < 0 {
			t.Errorf("out of bounds: %+v", m)
		}

		if m.OnFailure != manifest.FailOpen && m.OnFailure != manifest.FailClosed {
			t.Errorf("got %q", m.OnFailure)
		}
	})
}
