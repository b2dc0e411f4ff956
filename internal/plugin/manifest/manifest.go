// Package manifest reads plugins on disk: plugin.yaml, go.mod, how plugins are found below a root, what their source declares and
// imports, and which SDK they were written for. It never runs anything.
package manifest

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"sync"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/system/network"
)

// FileName is the name of the file that makes a directory a plugin.
const FileName = "plugin.yaml"

// OnFailure decides what happens to the calls that a plugin guards while the plugin is down.
type OnFailure string

// The values of OnFailure.
const (
	// FailOpen allows the calls.
	FailOpen OnFailure = "open"
	// FailClosed blocks the calls.
	FailClosed OnFailure = "closed"
)

// GoRuntime is what a plugin in Go asks to be run by.
type GoRuntime string

// The values of GoRuntime.
const (
	// GoRuntimeAuto is the interpreter, and the compiled program as soon as it exists, if the user grants that.
	GoRuntimeAuto GoRuntime = "auto"
	// GoRuntimeInterpreted is always the interpreter.
	GoRuntimeInterpreted GoRuntime = "interpreted"
	// GoRuntimeNative is only the compiled program.
	GoRuntimeNative GoRuntime = "native"
)

// DefaultMemory and MinMemory are the default and the smallest memory limit, in bytes. The interpreter itself does not fit into
// less than the minimum.
const (
	DefaultMemory = 256 << 20
	MinMemory     = 64 << 20
)

// Manifest is the content of plugin.yaml, with defaults filled in.
type Manifest struct {
	// Name is empty unless the file overrides the plugin's name.
	Name        string
	Description string
	Disabled    bool
	Override    bool
	OptIn       bool
	Once        bool
	Condition   condition.Expr
	// Env holds names of environment variables, or "*" for all.
	Env []string
	// Network holds the hosts that the plugin asks for. Nil means that its source decides whether it asks for every host or for none.
	Network []network.Pattern
	// Toolchains is set if the plugin asks to read the user's programs and toolchains, and to use their caches, as Bash does.
	Toolchains bool
	Config     map[string]any
	// Timeout is the deadline of every call. 0 means the defaults.
	Timeout   time.Duration
	OnFailure OnFailure
	// Runtime is what a plugin in Go asks to be run by.
	Runtime GoRuntime
	Limits  Limits
	// Decoded is whether the values are those in the file, in spite of any fault. Otherwise few could be read.
	Decoded bool
}

// Limits holds the limits of a plugin's process.
type Limits struct {
	// Memory is in bytes.
	Memory int64
}

// ConditionError reports an invalid condition. Unlike other faults of a manifest, it keeps a session that would run the plugin from
// starting.
type ConditionError struct {
	File string
	Line int
	Err  error
}

// Error renders FILE:LINE: text.
func (e *ConditionError) Error() string {
	return fmt.Sprintf("%s:%d: key %q: %v", e.File, e.Line, "condition", e.Err)
}

// Unwrap returns the error without its file and line.
func (e *ConditionError) Unwrap() error { return e.Err }

// document is plugin.yaml as written.
type document struct {
	Name        strictyaml.At[string]    `yaml:"name"`
	Description string                   `yaml:"description"`
	Disabled    bool                     `yaml:"disabled"`
	Override    bool                     `yaml:"override"`
	OptIn       bool                     `yaml:"opt_in"`
	Condition   strictyaml.At[string]    `yaml:"condition"`
	Once        bool                     `yaml:"once"`
	Env         []strictyaml.At[string]  `yaml:"env"`
	Network     []strictyaml.At[string]  `yaml:"network"`
	Toolchains  bool                     `yaml:"toolchains"`
	Config      map[string]any           `yaml:"config"`
	Timeout     strictyaml.At[timeout]   `yaml:"timeout"`
	OnFailure   strictyaml.At[OnFailure] `yaml:"on_failure"`
	Runtime     strictyaml.At[GoRuntime] `yaml:"runtime"`
	Limits      struct {
		Memory strictyaml.At[memory] `yaml:"memory"`
	} `yaml:"limits"`
}

// Parse reads a plugin.yaml. The name file is used only in errors, which name the line and the key. Together with an error, it
// returns the values that could be read, so that a guard that must fail closed does so even with a broken manifest.
func Parse(file string, data []byte) (Manifest, error) { return parse(file, data, DefaultMemory) }

// parse reads a plugin.yaml. memory is the memory limit that applies if the file sets none, in bytes.
func parse(file string, data []byte, memory int64) (Manifest, error) {
	var d document

	fault := strictyaml.Decode(file, data, &d)
	if fault != nil {
		d = document{}
		if yaml.Unmarshal(data, &d) != nil {
			return salvage(data), fault
		}
	}

	m := Manifest{
		Name: d.Name.Value, Description: d.Description,
		Disabled: d.Disabled, Override: d.Override, OptIn: d.OptIn, Once: d.Once, Toolchains: d.Toolchains,
		Config: d.Config, OnFailure: FailOpen, Limits: Limits{Memory: memory}, Decoded: true,
	}

	invalid := m.validate(file, &d)
	if fault != nil {
		m.Name = "" // it does not count; the other values show what is withdrawn

		return m, fault
	}

	return m, invalid
}

// validate checks the fields that have further constraints, and fills them in.
func (m *Manifest) validate(file string, d *document) error {
	at := func(line int, key string, err error) error {
		if err == nil {
			return nil
		}

		return &strictyaml.Error{File: file, Line: line, Err: fmt.Errorf("key %q: %w", key, err)}
	}

	var err error

	var faults []error

	if m.OnFailure, err = parseOnFailure(string(d.OnFailure.Value)); err != nil {
		faults = append(faults, at(d.OnFailure.Line, "on_failure", err))
	}

	if m.Runtime, err = parseRuntime(d.Runtime.Value); err != nil {
		faults = append(faults, at(d.Runtime.Line, "runtime", err))
	}

	if m.Condition, err = condition.Parse(d.Condition.Value); err != nil {
		faults = append(faults, &ConditionError{File: file, Line: d.Condition.Line, Err: err})
	}

	if m.Name != "" {
		faults = append(faults, at(d.Name.Line, "name", CheckName(m.Name)))
	}

	for i, name := range d.Env {
		faults = append(faults, at(name.Line, fmt.Sprintf("env[%d]", i), checkVariable(name.Value)))
		m.Env = append(m.Env, name.Value)
	}

	faults = append(faults, m.parseHosts(d, at))

	if m.Timeout, err = parseTimeout(d.Timeout.Value.written); err != nil {
		faults = append(faults, at(d.Timeout.Line, "timeout", err))
	}

	if m.Limits.Memory, err = parseMemory(d.Limits.Memory.Value.written, m.Limits.Memory); err != nil {
		faults = append(faults, at(d.Limits.Memory.Line, "limits.memory", err))
	}

	return errors.Join(faults...)
}

// maxHosts is how many hosts a manifest can name. A user must be able to read them before consenting.
const maxHosts = 32

// parseHosts fills in Network. If an entry is wrong, the plugin asks for no host.
func (m *Manifest) parseHosts(d *document, at func(line int, key string, err error) error) error {
	if d.Network == nil {
		return nil
	}

	m.Network = []network.Pattern{}

	if len(d.Network) > maxHosts {
		return at(d.Network[maxHosts].Line, "network", fmt.Errorf("it names more than %d hosts; a pattern such as *.example.org stands for all names below", maxHosts))
	}

	var list []network.Pattern

	for i, text := range d.Network {
		p, err := network.Parse(text.Value)
		if err != nil {
			return at(text.Line, fmt.Sprintf("network[%d]", i), err)
		}

		list = append(list, p)
	}

	m.Network = append(m.Network, list...)

	return nil
}

// Words says what the value means, for listings.
func (o OnFailure) Words() string {
	if o == FailClosed {
		return string(o) + ": while it cannot answer, tool calls that it guards are blocked"
	}
	return string(o) + ": while it cannot answer, tool calls run without its check"
}

// OnFailureError reports an unknown value of on_failure. It is then also unknown whether the plugin is a guard that fails closed.
type OnFailureError struct{ Value string }

func (e *OnFailureError) Error() string {
	return fmt.Sprintf("%q is neither %q nor %q", e.Value, FailOpen, FailClosed)
}

func parseOnFailure(s string) (OnFailure, error) {
	switch value := OnFailure(s); value {
	case "":
		return FailOpen, nil
	case FailOpen, FailClosed:
		return value, nil
	default:
		// The intended value is unknown, so the safer one is used.
		return FailClosed, &OnFailureError{Value: s}
	}
}

func parseRuntime(value GoRuntime) (GoRuntime, error) {
	switch value {
	case "":
		return GoRuntimeAuto, nil
	case GoRuntimeAuto, GoRuntimeInterpreted, GoRuntimeNative:
		return value, nil
	default:
		return GoRuntimeAuto, fmt.Errorf("%q is none of %q, %q and %q", value, GoRuntimeAuto, GoRuntimeInterpreted, GoRuntimeNative)
	}
}

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

func checkVariable(name string) error {
	if name == "*" || variable().MatchString(name) {
		return nil
	}

	return fmt.Errorf("%q is not the name of an environment variable; only %q stands for all of them", name, "*")
}

func parseTimeout(value any) (time.Duration, error) {
	const want = "write a duration such as 10s, or a whole number of seconds, or leave the key out for the defaults"

	switch v := value.(type) {
	case nil:
		return 0, nil
	case int:
		if v <= 0 || int64(v) > math.MaxInt64/int64(time.Second) {
			return 0, fmt.Errorf("%d is not a positive number of seconds: %s", v, want)
		}

		return time.Duration(v) * time.Second, nil
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: %s", v, want)
		}

		if d <= 0 {
			return 0, fmt.Errorf("%q is not positive: %s", v, want)
		}

		return d, nil
	default:
		return 0, fmt.Errorf("%v is not a duration: %s", v, want)
	}
}

var (
	// In doubt, a plugin is a guard that fails closed. The pattern therefore also matches a value in another style of YAML, and a
	// value that continues on the next line.
	saysClosed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[^#\n]*\bon_failure\b[^#\n]*(?:\n[ \t]+[^#\n]*)?\bclosed\b`)
	})
	saysDisabled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^disabled:[ \t]*true\b`) })
)

// salvage reads the values that matter for safety from a manifest that cannot be decoded.
func salvage(data []byte) Manifest {
	m := Manifest{OnFailure: FailOpen, Runtime: GoRuntimeAuto, Limits: Limits{Memory: DefaultMemory}, Disabled: saysDisabled().Match(data)}
	if saysClosed().Match(data) {
		m.OnFailure = FailClosed
	}

	return m
}
