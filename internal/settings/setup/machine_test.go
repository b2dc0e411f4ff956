package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/internal/system/state"
)

// machineOf returns a policy of the machine.
func machineOf(t *testing.T, text string) *machinepolicy.Policy {
	t.Helper()
	p, err := machinepolicy.Parse("/etc/aura/policy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// serving answers with a model of its own choice if none is named. It counts the requests.
type serving struct {
	llm.Provider
	own   string
	fails error
	asked int
}

func (s *serving) Model(context.Context, string) (llm.Model, error) {
	return llm.Model{Name: s.own}, s.fails
}

func (s *serving) Chat(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	s.asked++
	return llm.Response{}, nil
}

// TestMachineModel checks that no request for a model that the policy of the machine does not permit leaves aura, whoever named the model. A
// service that does not say which model answers is not asked.
func TestMachineModel(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		named, own string
		fails      error
		policy     string
		sent       bool
	}{
		"permitted":            {named: "claude-x", policy: "models: [claude-*]", sent: true},
		"another":              {named: "gpt-x", policy: "models: [claude-*]"},
		"own choice":           {own: "claude-x", policy: "models: [claude-*]", sent: true},
		"own choice, another":  {own: "gpt-x", policy: "models: [claude-*]"},
		"own choice, unknown":  {policy: "models: [claude-*]"},
		"own choice, an error": {own: "claude-x", fails: errors.New("no"), policy: "models: [claude-*]"},
		"none":                 {named: "claude-x", policy: "models: []"},
		"no rule":              {named: "gpt-x", policy: "version: 0.0.1", sent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &serving{own: row.own, fails: row.fails}
			_, err := offering{Provider: s, permit: machineOf(t, row.policy)}.Chat(t.Context(), llm.Request{Model: row.named}, nil)
			if (s.asked == 1) != row.sent || (err == nil) != row.sent {
				t.Errorf("%d requests, %v", s.asked, err)
			}
			if err != nil && row.fails == nil && !strings.Contains(err.Error(), "(/etc/aura/policy.yaml:1)") {
				t.Error(err)
			}
		})
	}
}

// TestMachineApprovals gives each answer under each rule about approvals. An approval that an earlier session stored does not count if the rule does
// not permit it.
func TestMachineApprovals(t *testing.T) {
	t.Parallel()
	type counts struct{ now, next bool }
	for rule, want := range map[string]map[policy.Decision]counts{
		"version: 0.0.1":     {policy.Once: {false, false}, policy.Session: {true, false}, policy.Always: {true, true}},
		"approvals: project": {policy.Once: {false, false}, policy.Session: {true, false}, policy.Always: {true, true}},
		"approvals: session": {policy.Once: {false, false}, policy.Session: {true, false}, policy.Always: {true, false}},
		"approvals: once":    {policy.Once: {false, false}, policy.Session: {false, false}, policy.Always: {false, false}},
	} {
		for decision, counts := range want {
			t.Run(rule+"/"+decision.String(), func(t *testing.T) {
				t.Parallel()
				c := &config.Config{Workdir: t.TempDir(), Restricted: config.Restricted{Machine: machineOf(t, rule)}}
				c.State = state.Locate(t.TempDir(), "", c.Workdir)
				s := Source{Config: c, Approvals: &policy.Approvals{}}
				call := policy.Call{Tool: "Write", Source: "built-in", Workdir: c.Workdir}
				if err := s.applyAnswer(policy.Question{Tool: "Write", About: call}, policy.Answer{Decision: decision, Pattern: "Write"}); err != nil {
					t.Fatal(err)
				}
				if got := s.approved(call); got != counts.now {
					t.Errorf("it counts in the session: %t", got)
				}
				s.Approvals = &policy.Approvals{}
				if got := s.approved(call); got != counts.next {
					t.Errorf("it counts in the next session: %t", got)
				}
			})
		}
	}
}

// TestMachineRules checks that no rule of a file, whoever has it, lifts the question of a mode if approvals count only for a while.
func TestMachineRules(t *testing.T) {
	t.Parallel()
	rules := config.Policy{Auto: []string{"*"}, Confirm: []string{"Rm"}}
	for policyText, want := range map[string]policy.Action{
		"version: 0.0.1": policy.Auto, "approvals: project": policy.Auto, "approvals: session": policy.Confirm, "approvals: once": policy.Confirm,
	} {
		for _, place := range []string{"features", "agent", "mode", "within", "task"} {
			var f config.Features
			ask := config.Policy{Default: config.PolicyDefault{Run: config.PolicyAction(policy.Confirm)}}
			s, r := Source{Config: &config.Config{Restricted: config.Restricted{Machine: machineOf(t, policyText)}}}, Role{}
			r.Mode.Tools.Policy = ask
			switch place {
			case "features":
				f.Tools.Policy = rules
			case "agent":
				r.Agent.Tools.Policy = rules
			case "mode":
				r.Mode.Tools.Policy.Auto = rules.Auto
			case "within":
				r.Within.Tools.Policy = rules
			case "task":
				s.Options.Task = &config.Task{}
				s.Options.Task.Tools.Policy = rules
			}
			p, err := policy.New(s.policies(r, f)...)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.DecideCall("Bash", nil, func() policy.Effect { return policy.Run }); got.Action != want {
				t.Errorf("%s, rules of the %s: %s, want %s", policyText, place, got.Action, want)
			}
		}
	}
}

// TestMachineNative checks that no command compiles a plugin against the policy of the machine, whatever runtime it asks for.
func TestMachineNative(t *testing.T) {
	t.Parallel()
	c := &config.Config{Workdir: t.TempDir(), Restricted: config.Restricted{Machine: machineOf(t, "plugins: {native: false}")}}
	c.State = state.Locate(t.TempDir(), "", c.Workdir)
	_, err := Entry{}.InRuntime(c, false, host.RuntimeNative)
	if err == nil || !strings.Contains(err.Error(), "plugins.native: false (/etc/aura/policy.yaml:1)") {
		t.Error(err)
	}
}

// TestMachineStored checks an approval that was stored before there was a policy.
func TestMachineStored(t *testing.T) {
	t.Parallel()
	c := &config.Config{Workdir: t.TempDir()}
	c.State = state.Locate(t.TempDir(), "", c.Workdir)
	s := Source{Config: c, Approvals: &policy.Approvals{}}
	call := policy.Call{Tool: "Write", Source: "built-in", Workdir: c.Workdir}
	if err := s.applyAnswer(policy.Question{Tool: "Write", About: call}, policy.Answer{Decision: policy.Always, Pattern: "Write"}); err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]bool{"version: 0.0.1": true, "approvals: project": true, "approvals: session": false, "approvals: once": false} {
		c.Machine = machineOf(t, rule)
		if got := s.approved(call); got != want {
			t.Errorf("%s: it counts: %t", rule, got)
		}
	}
}

// TestMachineRole checks the options of a command line, an editor and a task that choose what a session may do.
func TestMachineRole(t *testing.T) {
	t.Parallel()
	mode := func(name string) Role { return Role{Mode: config.Mode{Name: name}} }
	for name, row := range map[string]struct {
		policy string
		role   Role
		unsafe bool
		want   string
	}{
		"permitted mode":      {"modes: [ask]", mode("ask"), false, ""},
		"another mode":        {"modes: [ask]", mode("auto"), false, "the mode auto"},
		"no mode":             {"modes: [ask]", mode(""), false, "the mode none"},
		"no mode, permitted":  {"modes: [ask, none]", mode(""), false, ""},
		"restricted packages": {"plugins: {unsafe: false}", mode("ask"), true, "--unsafe-plugins"},
		"no such rule":        {"version: 0.0.1", mode("auto"), true, ""},
	} {
		c := &config.Config{Restricted: config.Restricted{Machine: machineOf(t, row.policy)}}
		s := Source{Config: c}
		s.Options.UnsafePlugins = row.unsafe
		if err := s.permitted(row.role); (err == nil) != (row.want == "") || err != nil && !strings.Contains(fmt.Sprint(err), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
