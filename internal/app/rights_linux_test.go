package app

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// holder returns a plugin that does not load without a right: use is a statement that panics then.
func holder(imports, use string) string {
	return `package holder

import (
	"context"
	` + imports + `

	"github.com/idelchi/aura/sdk"
)

func init() { ` + use + ` }

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "holder"} }

func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: "held"}, nil
}
`
}

// right is something that a plugin may do and that can be withdrawn.
type right struct {
	source string
	// on and off are settings with and without the right. manifest and withoutRight are the same for plugin.yaml.
	on, off                string
	manifest, withoutRight string
	// sandboxed rights need a sandbox.
	sandboxed bool
}

var rights = map[string]right{
	"unsafe": {source: holder(`"os/exec"`, `_ = exec.ErrNotFound`), on: "plugins: {unsafe: true}", off: "plugins: {unsafe: false}"},
	"network": {
		source: holder(`"net"`, `if _, err := net.Listen("tcp", "127.0.0.1:0"); err != nil { panic(err) }`),
		on:     "sandbox: {enabled: true, network: true}", off: "sandbox: {enabled: true, network: false}", sandboxed: true,
	},
	"hosts of the settings": {
		source: holder(`"net"`, `if _, err := net.LookupHost("held.example"); err != nil { panic(err) }`),
		on:     "sandbox: {enabled: true, network: {allow: [held.example]}}", off: "sandbox: {enabled: true, network: {allow: [other.example]}}", sandboxed: true,
	},
	"hosts of the manifest": {
		source:   holder(`"net"`, `if _, err := net.LookupHost("held.example"); err != nil { panic(err) }`),
		manifest: "network: [held.example]", withoutRight: "network: [other.example]", sandboxed: true,
		on: "sandbox: {enabled: true}",
	},
	"files": {
		source: holder(`"os"`, `if err := os.WriteFile("written", nil, 0600); err != nil { panic(err) }`),
		on:     "sandbox: {enabled: true}", off: "sandbox: {enabled: true, restrictions: {rw: [sub]}, extra: {ro: [.]}}", sandboxed: true,
	},
	"no sandbox": {
		source: holder(`"os"`, `if err := os.WriteFile(".aura/written", nil, 0600); err != nil { panic(err) }`),
		on:     "sandbox: {enabled: false}", off: "sandbox: {enabled: true}", sandboxed: true,
	},
	"selection": {source: holder(`_ "os"`, ``), on: "plugins: {exclude: []}", off: "plugins: {exclude: [hold*]}"},
	"inclusion": {source: holder(`_ "os"`, ``), on: "plugins: {include: ['*']}", off: "plugins: {include: [other]}"},
	"env": {
		source:   holder(`"os"`, `if os.Getenv("HELD") == "" { panic("no variable") }`),
		manifest: "env: [HELD]", withoutRight: "env: [OTHER]",
	},
	"memory": {
		source:   holder(`"runtime"`, `b := make([]byte, 256<<20); for i := 0; i < len(b); i += 4096 { b[i] = 1 }; runtime.KeepAlive(b)`),
		manifest: "limits: {memory: 600MiB}", withoutRight: "limits: {memory: 64MiB}",
	},
	"enabled": {source: holder(`_ "os"`, ``), manifest: "disabled: false", withoutRight: "disabled: true"},
	"consent": {source: holder(`_ "os"`, ``)},
}

// withdrawal is a way to withdraw a right.
type withdrawal struct {
	do func(p *place, s *Session, r right) error
	// role says that another role lacks the right. A manifest is not part of a role.
	role bool
	// repeats says that another way ends processes by the same code.
	repeats bool
}

var withdrawals = map[string]withdrawal{
	"/reload": {do: func(p *place, s *Session, r right) error {
		if r.off != "" {
			p.write(".aura/config/features/rights.yaml", r.off+"\n")
		}
		if r.withoutRight != "" {
			p.write(".aura/plugins/holder/plugin.yaml", r.withoutRight+"\n")
		}
		_, err := s.RunLine(p.t.Context(), frontend.Line{Text: "/reload"})
		return err
	}},
	"/reload of broken source": {repeats: true, do: func(p *place, s *Session, r right) error {
		p.write(".aura/plugins/holder/main.go", "package holder\n\nfunc broken( {\n")
		if r.off != "" {
			p.write(".aura/config/features/rights.yaml", r.off+"\n")
		}
		if r.withoutRight != "" {
			p.write(".aura/plugins/holder/plugin.yaml", r.withoutRight+"\n")
		}
		_, err := s.RunLine(p.t.Context(), frontend.Line{Text: "/reload"})
		return err
	}},
	"/reload of a broken manifest": {repeats: true, do: func(p *place, s *Session, r right) error {
		if r.off != "" {
			p.write(".aura/config/features/rights.yaml", r.off+"\n")
		}
		p.write(".aura/plugins/holder/plugin.yaml", cmp.Or(r.withoutRight, r.manifest)+"\nnonsense: 1\n")
		_, err := s.RunLine(p.t.Context(), frontend.Line{Text: "/reload"})
		return err
	}},
	"/mode":  {role: true, do: line("/mode narrow")},
	"/agent": {role: true, repeats: true, do: line("/agent narrow")},
	"fallback": {role: true, do: func(p *place, s *Session, r right) error {
		return errors.Join(line("/agent falling")(p, s, r), frontend.Run(p.t.Context(), s, []string{"one", "two"}))
	}},
}

// line withdraws a right by a line of the user.
func line(text string) func(*place, *Session, right) error {
	return func(p *place, s *Session, _ right) error {
		_, err := s.RunLine(p.t.Context(), frontend.Line{Text: text})
		return err
	}
}

// TestWithdrawnRights withdraws every right in every way. The process that had the right must end, and no other may have it.
func TestWithdrawnRights(t *testing.T) {
	t.Parallel()
	for name, r := range rights {
		for way, w := range withdrawals {
			if w.role && r.withoutRight != "" {
				continue
			}
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				if w.repeats && name != "unsafe" && name != "consent" {
					testneed.Long(t)
				}
				if s := sandbox.Support(); r.sandboxed && !s.Enabled {
					testneed.Missing(t, testneed.Sandbox, s.Reason())
				}
				p, s, out := openRights(t, r)
				pid := pidOf(s)
				if pid == 0 {
					t.Fatalf("the plugin does not run; told %q", out.told())
				}
				if name == "consent" {
					if _, known, err := p.o.Gate.Forget(p.o.Config); err != nil || !known {
						t.Fatal("there was no consent", err)
					}
				}
				if err := w.do(p, s, r); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) || pidOf(s) != 0 {
					t.Errorf("process %d: %v; now %d; told %q, said %q", pid, err, pidOf(s), out.told(), out.said())
				}
			})
		}
	}
}

// TestConsentBeforeRestart checks that a plugin is not restarted after a crash if the user has withdrawn the consent.
func TestConsentBeforeRestart(t *testing.T) {
	t.Parallel()
	p, s, _ := openRights(t, rights["consent"])
	if _, _, err := p.o.Gate.Forget(p.o.Config); err != nil {
		t.Fatal(err)
	}
	plugin := s.plugins.list()[0]
	if err := syscall.Kill(pidOf(s), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for plugin.Down() == nil && t.Context().Err() == nil {
		_, _ = s.RunLine(t.Context(), frontend.Line{Text: "/holder"}) // it fails with the process that dies, or waits for the restart and fails
	}
	if err := plugin.Down(); err == nil || !strings.Contains(err.Error(), "consent") {
		t.Errorf("the plugin is down for %v", err)
	}
}

// openRights opens a session with the user's consent and the plugin holder, which has the right.
func openRights(t *testing.T, r right) (*place, *Session, *outcome) {
	t.Helper()
	files := maps.Clone(map[string]string{
		".aura/plugins/holder/main.go":     r.source,
		".aura/plugins/holder/go.mod":      "module holder\n\ngo 1.25\n",
		".aura/plugins/holder/plugin.yaml": r.manifest + "\n",
		".aura/config/providers/test.yaml": "test: {type: script, file: talk.yaml}\nfailing: {type: script, file: failing.yaml}\n",
		".aura/config/talk.yaml":           "turns: [{text: One.}, {text: Two.}, {text: Three.}]\n",
		".aura/config/failing.yaml":        "turns: [{error: {type: auth, message: no key}}]\n",
		".aura/config/agents/main.md":      "---\nname: main\ndefault: true\nmodel: {provider: test}\n---\n",
		".aura/config/agents/narrow.md":    "---\nname: narrow\nmodel: {provider: test}\nfeatures: {" + r.off + "}\n---\n",
		".aura/config/agents/falling.md":   "---\nname: falling\nmodel: {provider: failing}\nfallback: [narrow]\n---\n",
		".aura/config/modes/narrow.md":     "---\nname: narrow\nfeatures: {" + r.off + "}\n---\n",
	})
	if r.on != "" {
		files[".aura/config/features/rights.yaml"] = r.on + "\n"
	}
	p := newPlace(t, files)
	p.o.WithoutPlugins = false
	p.o.Config.Environ = append(p.o.Config.Environ, "HELD=1")
	p.o.Gate = &gate.Gate{Ask: func(context.Context, *gate.UntrustedError) (gate.Answer, error) { return gate.AnswerDirectory, nil }}
	if err := os.MkdirAll(filepath.Join(p.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := &outcome{}
	s, err := Open(t.Context(), p.o, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(""); err != nil {
			t.Error(err)
		}
	})
	for _, plugin := range s.plugins.list() {
		if err := plugin.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return p, s, out
}

// pidOf returns the process of the plugin holder; 0 if there is none.
func pidOf(s *Session) int {
	for _, h := range s.Health() {
		if h.Name == "holder" {
			return h.Pid
		}
	}
	return 0
}
