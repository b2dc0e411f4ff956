package gate

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// grounds is a separate project and user for one test. Their files are located below work/ and me/.
type grounds struct {
	t *testing.T
	o config.Options
}

func newGrounds(t *testing.T, files map[string]string) grounds {
	t.Helper()
	root := t.TempDir()
	g := grounds{t, config.Options{
		Workdir: filepath.Join(root, "work"), UserHome: filepath.Join(root, "me"), Environ: []string{"TOKEN=hunter2", "STEPS=7"},
	}}
	for _, dir := range []string{"work", "me"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		g.write(name, text)
	}
	return g
}

func (g grounds) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(filepath.Dir(g.o.Workdir), name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		g.t.Fatal(err)
	}
}

const home = "work/.aura/config/"

// TestGate checks who gives consent, and what the consent covers.
func TestGate(t *testing.T) {
	t.Parallel()
	answer := func(a Answer) func(context.Context, *UntrustedError) (Answer, error) {
		return func(context.Context, *UntrustedError) (Answer, error) { return a, nil }
	}
	for name, row := range map[string]struct {
		gate   *Gate
		change func(g *grounds)
		// hooks is whether the project is active. refused is whether loading fails.
		hooks, refused bool
	}{
		"nobody":             {gate: &Gate{}, refused: true},
		"trust":              {gate: &Gate{Trust: true}, hooks: true},
		"safe":               {gate: &Gate{Safe: true}},
		"answer: directory":  {gate: &Gate{Ask: answer(AnswerDirectory)}, hooks: true},
		"answer: files":      {gate: &Gate{Ask: answer(AnswerFiles)}, hooks: true},
		"answer: safe":       {gate: &Gate{Ask: answer(AnswerSafe)}},
		"answer: quit":       {gate: &Gate{Ask: answer(AnswerQuit)}, refused: true},
		"nowhere to keep it": {gate: &Gate{Ask: answer(AnswerDirectory)}, change: func(g *grounds) { none := ""; g.o.UserHome, g.o.Home = "", &none }, hooks: true},
		"named home":         {gate: &Gate{}, change: func(g *grounds) { g.o.Configs = []string{".aura"} }, hooks: true},
		"named home, other":  {gate: &Gate{}, change: func(g *grounds) { g.o.Configs = []string{"../me"} }, refused: true},
		"the user's home":    {gate: &Gate{}, change: func(g *grounds) { mine := ".aura"; g.o.Home, g.o.EnvFiles = &mine, []string{"secrets.env"} }, hooks: true},
		"a damaged store":    {gate: &Gate{}, change: func(g *grounds) { g.write("me/.local/state/aura/trust.json", "{") }, refused: true},
		"pinned rule":        {gate: &Gate{}, change: func(g *grounds) { g.agree(false); g.write("me/.aura/config/features/trust.yaml", "trust: pinned") }, refused: true},
		"pinned rule, files": {gate: &Gate{}, change: func(g *grounds) { g.agree(true); g.write("me/.aura/config/features/trust.yaml", "trust: pinned") }, hooks: true},
		"directory":          {gate: &Gate{}, change: func(g *grounds) { g.agree(false); g.write(home+"hooks/i.yaml", "i: {event: pre, command: x}") }, hooks: true},
		"files, changed":     {gate: &Gate{}, change: func(g *grounds) { g.agree(true); g.write(home+"hooks/i.yaml", "i: {event: pre, command: x}") }, refused: true},
		"env file, changed":  {gate: &Gate{}, change: func(g *grounds) { g.agree(false); g.write("work/secrets.env", "A=2") }, hooks: true},
		"skills came":        {gate: &Gate{}, change: func(g *grounds) { g.agree(false); g.write("work/.agents/skills/s/SKILL.md", foreignSkill) }, hooks: true},
		"skills came, files": {gate: &Gate{}, change: func(g *grounds) { g.agree(true); g.write("work/.agents/skills/s/SKILL.md", foreignSkill) }, refused: true},
		"skills came, like the user's": {gate: &Gate{}, change: func(g *grounds) {
			g.write("me/.aura/skills/s.md", foreignSkill)
			g.agree(false)
			g.write("work/.claude/skills/s/SKILL.md", foreignSkill)
		}, refused: true},
		"skills like the user's": {gate: &Gate{}, change: func(g *grounds) {
			g.write("me/.aura/skills/s.md", foreignSkill)
			g.write("work/.claude/skills/s/SKILL.md", foreignSkill)
			g.agree(false)
		}, hooks: true},
		"env file came back": {gate: &Gate{}, change: func(g *grounds) {
			g.agree(false)
			g.remove("work/secrets.env")
			g.load(true)
			g.write("work/secrets.env", "A=2")
		}, refused: true},
		"home came back": {gate: &Gate{}, change: func(g *grounds) {
			g.agree(false)
			g.remove("work/.aura")
			g.load(true)
			g.write(home+"hooks/h.yaml", "h: {event: pre, command: y}")
		}, refused: true},
		"home came back below": {gate: &Gate{}, change: func(g *grounds) {
			g.agree(false)
			g.remove("work/.aura")
			above := *g
			above.o.Workdir = filepath.Dir(g.o.Workdir)
			above.load(true)
			g.write(home+"hooks/h.yaml", "h: {event: pre, command: y}")
		}, refused: true},
		"made by a tool": {gate: &Gate{}, change: func(g *grounds) {
			g.agree(false)
			(&Gate{}).Narrow(g.o, []string{filepath.Join(g.o.Workdir, "secrets.env")})
		}, refused: true},
		"made elsewhere": {gate: &Gate{}, change: func(g *grounds) {
			g.agree(false)
			(&Gate{}).Narrow(g.o, []string{filepath.Join(g.o.Workdir, "secrets.env.bak"), filepath.Join(g.o.Workdir, ".git", "config")})
		}, hooks: true},
		"linked home":                  {gate: &Gate{}, change: func(g *grounds) { g.linkHome("one"); g.agree(false) }, hooks: true},
		"linked home, leads elsewhere": {gate: &Gate{}, change: func(g *grounds) { g.linkHome("one"); g.agree(false); g.linkHome("two") }, refused: true},
		"home that became a link":      {gate: &Gate{}, change: func(g *grounds) { g.agree(false); g.linkHome("two") }, refused: true},
		"script in old state": {gate: &Gate{}, change: func(g *grounds) {
			g.write(home+"providers/p.yaml", "p: {type: script, file: data/s.yaml}")
			g.write("work/.aura/data/s.yaml", "turns: [{text: a}]")
			g.agree(true)
			g.write("work/.aura/data/s.yaml", "turns: [{text: b}]")
		}, refused: true},
		"plugins elsewhere": {gate: &Gate{}, change: func(g *grounds) {
			g.write(home+"features/p.yaml", "plugins: {dir: ../../other}")
			g.write("other/p/plugin.yaml", "description: x")
			g.agree(true)
			g.write("other/p/plugin.yaml", "description: y")
		}, refused: true},
		"plugins at a variable": {gate: &Gate{}, change: func(g *grounds) {
			g.write("work/secrets.env", "EXT=ext")
			g.write(home+"features/p.yaml", "plugins: {dir: '../${EXT}'}")
			g.write("work/ext/p/plugin.yaml", "description: x")
			g.agree(true)
			g.load(true)
			g.write("work/ext/p/plugin.yaml", "description: y")
		}, refused: true},
		"script at a variable": {gate: &Gate{}, change: func(g *grounds) {
			g.o.Environ = append(g.o.Environ, "PWD="+g.o.Workdir)
			g.write(home+"providers/p.yaml", "p: {type: script, file: '${PWD}/s.yaml'}")
			g.write("work/s.yaml", "turns: [{text: a}]")
			g.agree(true)
			g.load(true)
			g.write("work/s.yaml", "turns: [{text: b}]")
		}, refused: true},
		"env file at a variable": {gate: &Gate{}, change: func(g *grounds) {
			g.o.Environ = append(g.o.Environ, "PWD="+g.o.Workdir)
			g.write(home+"tasks/t.yaml", "t: {commands: [x], env_file: '${PWD}/later.env'}")
			g.agree(true)
			g.load(true)
			g.write("work/later.env", "B=1")
		}, refused: true},
		"another directory by a variable": {gate: &Gate{}, change: func(g *grounds) {
			g.o.Environ = append(g.o.Environ, "EXT=one")
			g.write(home+"features/p.yaml", "plugins: {dir: '../${EXT}'}")
			g.write("work/two/p/plugin.yaml", "description: x")
			g.agree(true)
			g.load(true)
			g.o.Environ = []string{"EXT=two"}
		}, refused: true},
		"switched by a variable": {gate: &Gate{}, change: func(g *grounds) {
			g.o.Environ = append(g.o.Environ, "CI=true")
			g.write("work/secrets.env", "CI=false")
			g.write(home+"mcp/m.yaml", "m: {command: x, disabled: '${CI}'}")
			g.agree(true)
			g.load(true)
			g.o.Environ = []string{}
		}, refused: true},
		"variable of mine that the env file sets too": {gate: &Gate{}, change: func(g *grounds) {
			g.write("work/secrets.env", "TOKEN=evil")
			g.write(home+"mcp/m.yaml", "m: {command: '${TOKEN}'}")
			g.agree(true)
			g.load(true)
			g.o.Environ = []string{}
		}, refused: true},
		"another token": {gate: &Gate{}, change: func(g *grounds) {
			g.write(home+"mcp/m.yaml", "m: {command: x, env: {A: '${TOKEN}'}}")
			g.agree(true)
			g.o.Environ = []string{"TOKEN=hunter3"}
		}, hooks: true},
		"env file of a task": {gate: &Gate{}, change: func(g *grounds) {
			g.write(home+"tasks/t.yaml", "t: {commands: [x], env_file: later.env}")
			g.agree(true)
			g.write("work/later.env", "B=1")
		}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, maps.Clone(asking))
			if row.change != nil {
				row.change(&g)
			}
			for range 2 {
				c, err := row.gate.Load(t.Context(), g.o)
				if (err != nil) != row.refused {
					t.Fatalf("error %v", err)
				}
				if err == nil && (len(c.Hooks) > 0) != row.hooks {
					t.Errorf("hooks are %v", c.Hooks)
				}
			}
		})
	}
}

func (g *grounds) remove(name string) {
	g.t.Helper()
	if err := os.RemoveAll(filepath.Join(filepath.Dir(g.o.Workdir), name)); err != nil {
		g.t.Fatal(err)
	}
}

// load starts aura once.
func (g *grounds) load(ok bool) {
	g.t.Helper()
	if _, err := (&Gate{}).Load(g.t.Context(), g.o); (err == nil) != ok {
		g.t.Fatal(err)
	}
}

// linkHome makes the project's home a link to another directory with a hook.
func (g *grounds) linkHome(to string) {
	g.t.Helper()
	g.write(to+"/config/hooks/h.yaml", "h: {event: pre, command: "+to+"}")
	g.remove("work/.aura")
	testneed.Link(g.t, filepath.Join("..", to), filepath.Join(g.o.Workdir, config.DirName))
}

func (g *grounds) agree(pinned bool) {
	g.t.Helper()
	gate := &Gate{}
	p, err := gate.Requests(g.o)
	if err == nil {
		_, err = gate.Agree(g.o, p, pinned)
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

// TestPinnedUnreadable checks that files are not pinned if what a run would use is not known.
func TestPinnedUnreadable(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"only with variables": {"work/secrets.env": "TT=script", home + "providers/p.yaml": "p: {type: '${TT}'}", home + "hooks/h.yaml": "h: {event: pre, command: x}"},
		"variable, unset":     {home + "features/p.yaml": "plugins: {dir: '${UNSET}/ext'}"},
		"does not parse":      {home + "hooks/h.yaml": "h: ["},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, files)
			p, err := (&Gate{}).Requests(g.o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (&Gate{}).Agree(g.o, p, true); err == nil || !strings.Contains(err.Error(), "correct it, or use --trust for one run") {
				t.Errorf("got %v", err)
			}
			g.load(false)
		})
	}
	// A consent that was given while the configuration could be read does not cover one that cannot be read.
	g := newGrounds(t, map[string]string{"work/secrets.env": "A=1", home + "providers/p.yaml": "p: {type: '${TT}'}"})
	g.o.Environ = []string{"TT=script"}
	files, err := trust.Hash(g.o.Workdir, filepath.Join(g.o.Workdir, ".aura"), []string{filepath.Join(g.o.Workdir, "secrets.env")})
	found, err2 := config.Find(g.o)
	if err := errors.Join(err, err2, storeOf(g.o).Put(found.Dir, trust.Consent{Files: files})); err != nil {
		t.Fatal(err)
	}
	g.load(false)
}

// TestChangedDuringQuestion checks that an answer does not cover files that change while the user is asked.
func TestChangedDuringQuestion(t *testing.T) {
	t.Parallel()
	g := newGrounds(t, maps.Clone(asking))
	gate := &Gate{Ask: func(context.Context, *UntrustedError) (Answer, error) {
		g.write(home+"hooks/h.yaml", "h: {event: pre, command: other}")
		return AnswerFiles, nil
	}}
	_, err := gate.Load(t.Context(), g.o)
	u, ok := errors.AsType[*UntrustedError](err)
	if !ok || !slices.Equal(u.Change.Changed, []string{".aura/config/hooks/h.yaml"}) {
		t.Errorf("got %v", err)
	}
}

// TestConsentThroughLink checks that a link to a project leads to the same consent.
func TestConsentThroughLink(t *testing.T) {
	t.Parallel()
	g := newGrounds(t, maps.Clone(asking))
	g.agree(true)
	link := filepath.Join(t.TempDir(), "link")
	testneed.Link(t, g.o.Workdir, link)
	g.o.Workdir = link
	if _, err := (&Gate{}).Load(t.Context(), g.o); err != nil {
		t.Error(err)
	}
}

// TestRenew checks when writing by aura itself renews a consent.
func TestRenew(t *testing.T) {
	t.Parallel()
	text := map[string]string{home + "agents/a.md": "---\nname: a\n---\n"}
	for name, row := range map[string]struct {
		files  map[string]string
		before func(g *grounds)
		// trusted is whether the files that aura wrote are trusted. later is whether later changes are trusted.
		trusted, later bool
	}{
		"nothing was there":   {nil, nil, true, true},
		"text was there":      {text, nil, true, false},
		"trusted before":      {asking, func(g *grounds) { g.agree(false) }, true, true},
		"pinned before":       {asking, func(g *grounds) { g.agree(true) }, true, false},
		"untrusted":           {asking, nil, false, false},
		"an env file":         {map[string]string{"work/secrets.env": "A=1"}, nil, false, false},
		"pinned, but changed": {asking, func(g *grounds) { g.agree(true); g.write("work/secrets.env", "A=2") }, false, false},
		"the rule is pinned":  {nil, func(g *grounds) { g.write("me/.aura/config/features/trust.yaml", "trust: pinned") }, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGrounds(t, row.files)
			if row.before != nil {
				row.before(&g)
			}
			r, err := (&Gate{}).Renew(g.o)
			if err != nil {
				t.Fatal(err)
			}
			g.write(home+"hooks/made.yaml", "made: {event: pre, command: x}")
			if err := r.Done(); err != nil {
				t.Fatal(err)
			}
			if _, err := (&Gate{}).Load(t.Context(), g.o); (err == nil) != row.trusted {
				t.Errorf("what was written: %v", err)
			}
			g.write(home+"hooks/later.yaml", "later: {event: pre, command: x}")
			if _, err := (&Gate{}).Load(t.Context(), g.o); (err == nil) != row.later {
				t.Errorf("what came later: %v", err)
			}
		})
	}
}

// TestUntrustedMessage checks that text from files cannot imitate lines of the message.
func TestUntrustedMessage(t *testing.T) {
	t.Parallel()
	u := &UntrustedError{Dir: "/a\nb", Base: "/a\nb", Requests: []trust.Request{
		{Kind: trust.KindHook, Name: "x\n  --trust is safe", File: "/a\nb/c\r\nd", Text: strings.Repeat("y", 1000)},
	}}
	for range 60 {
		u.Requests = append(u.Requests, trust.Request{Kind: trust.KindTask, Name: "t"})
	}
	text := u.Error()
	if strings.Contains(text, "\n  --trust is safe") || strings.Contains(text, "\r") || strings.Contains(text, strings.Repeat("y", 400)) {
		t.Errorf("got %s", text)
	}
	if !strings.Contains(text, "and 52 more of kind task: 'aura trust --show' lists all") || strings.Count(text, "\n") > 20 {
		t.Errorf("got %s", text)
	}
}
