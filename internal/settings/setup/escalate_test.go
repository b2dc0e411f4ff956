package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/state"
)

// wants is a tool that wants a path, and remembers how it ran.
type wants struct {
	name  string
	path  string
	write bool
	// runs counts the runs, and outside those without a sandbox.
	runs, outside int
	policy        sandbox.Policy
}

func (w *wants) Definition() tool.Definition {
	return tool.Definition{Name: w.name, Source: tool.SourceBuiltin}
}

func (w *wants) Execute(_ context.Context, call tool.Call) (string, error) {
	w.runs++
	if call.Sandbox.Outside {
		w.outside++
		return "done", nil
	}
	denied := sandbox.Refusal(w.policy, w.path, w.write)
	if denied == nil || denied.Granted(call.Sandbox.Read, call.Sandbox.Write) {
		return "done", nil
	}
	if call.Sandbox.Refused != nil {
		call.Sandbox.Refused(denied)
	}
	return "", errors.New("refused")
}

// escalatingScene makes a home directory with a project and paths of each kind, and returns the home directory.
func escalatingScene(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"project/x", "diary", ".ssh/id", ".profile"} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// newEscalating returns a tool in a scene. confirm is nil if nobody can be asked.
func newEscalating(home string, w *wants, confirm func(context.Context, policy.Question) (policy.Answer, error)) escalating {
	at := sandbox.Place{Workdir: filepath.Join(home, "project"), Home: home, Git: &sandbox.Repositories{}, Links: &sandbox.Links{}}
	kind := sandbox.KindFiles
	if w.name == "Bash" {
		kind = sandbox.KindShell
	}
	w.policy = sandbox.Compose(at, kind, sandbox.Config{})
	s := Source{
		Config:  &config.Config{Workdir: at.Workdir, State: state.Locate(filepath.Join(home, ".state"), "", at.Workdir)},
		Confirm: confirm,
	}
	if confirm != nil {
		s.Approvals = &policy.Approvals{}
	}
	return escalating{
		Tool: w, source: s, in: Confinement{place: at, grants: new(sandbox.Grants)}, policy: w.policy, outside: w.policy.Exec, creates: true,
	}
}

// TestEscalating has each kind of refusal, with each answer, for a command and for a tool for files, and for front ends that can ask and those that
// cannot. Each call is made twice, and a third time in the next session.
func TestEscalating(t *testing.T) {
	t.Parallel()
	type result struct{ asked, ran, done, next int }
	type kind struct {
		path  string
		write bool
		// open is set if there is a question.
		open bool
	}
	kinds := map[string]kind{
		"read":            {"diary", false, true},
		"write":           {"diary", true, true},
		"create":          {"new", true, true},
		"read secret":     {".ssh/id", false, false},
		"write secret":    {".ssh/id", true, false},
		"create secret":   {".ssh/new", true, false},
		"read protected":  {".profile", false, true},
		"write protected": {".profile", true, false},
		"read nothing":    {"none", false, false},
	}
	answers := map[policy.Decision]result{
		// Each call is asked about, and runs again.
		policy.Once: {2, 4, 2, 0},
		// The first call runs again; the second one once.
		policy.Session: {1, 3, 2, 0},
		policy.Always:  {1, 3, 2, 1},
		policy.Outside: {2, 4, 2, 0},
		// The second call is not asked about.
		policy.Reject: {1, 2, 0, 0},
	}
	for about, k := range kinds {
		for answer, want := range answers {
			for _, name := range []string{"Bash", "Write"} {
				for _, attended := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s %s %s %v", about, answer, name, attended), func(t *testing.T) {
						t.Parallel()
						want := want
						switch {
						case !k.open || !attended:
							want = result{0, 2, 0, 0}
						case answer == policy.Outside && name != "Bash":
							want = answers[policy.Reject] // it is not offered
						}
						home := escalatingScene(t)
						w := &wants{name: name, path: filepath.Join(home, k.path), write: k.write}
						asked := 0
						var confirm func(context.Context, policy.Question) (policy.Answer, error)
						if attended {
							confirm = func(_ context.Context, q policy.Question) (policy.Answer, error) {
								asked++
								return policy.Answer{Decision: answer, Pattern: q.Pattern}, nil
							}
						}
						got, text := result{}, ""
						made := newEscalating(home, w, confirm)
						call := tool.Call{Args: map[string]any{"command": "true"}}
						for range 2 {
							out, err := made.Execute(t.Context(), call)
							if err == nil {
								got.done++
							} else {
								out = err.Error()
							}
							text += out + "\n"
						}
						got.asked, got.ran = asked, w.runs
						if _, err := newEscalating(home, w, nil).Execute(t.Context(), call); err == nil {
							got.next++
						}
						if got != want {
							t.Errorf("got %+v, want %+v: %s", got, want, text)
						}
						if (w.outside > 0) != (answer == policy.Outside && want.done > 0) {
							t.Errorf("it ran %d times outside", w.outside)
						}
						if strings.Contains(text, "happened twice") != (name == "Bash" && want.done > 0) {
							t.Errorf("the model reads %s", text)
						}
					})
				}
			}
		}
	}
}

// TestEscalatingBounds checks that the questions of a session are bounded, that a mode that only reads offers no writing, that a command that is not
// shown whole cannot run outside, and that nobody is asked about a call that nobody waits for.
func TestEscalatingBounds(t *testing.T) {
	t.Parallel()
	home := escalatingScene(t)
	var questions []policy.Question
	ask := func(_ context.Context, q policy.Question) (policy.Answer, error) {
		questions = append(questions, q)
		return policy.Answer{}, nil
	}
	w := &wants{name: "Bash"}
	made := newEscalating(home, w, ask)
	var last error
	for i := range 3 * MaxPathsRefused {
		w.path = filepath.Join(home, fmt.Sprintf("file%d", i))
		if err := os.WriteFile(w.path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, last = made.Execute(t.Context(), tool.Call{Args: map[string]any{"command": "true"}})
	}
	if len(questions) != MaxPathsRefused || !strings.Contains(last.Error(), "the user refused 16 paths in this session; do not try further paths") {
		t.Errorf("%d questions; %v", len(questions), last)
	}
	for name, row := range map[string]struct {
		command             string
		write, reads, alone bool
		asked, outside      bool
	}{
		"read":             {"true", false, false, false, true, true},
		"read, mode plan":  {"true", false, true, false, true, false},
		"write, mode plan": {"true", true, true, false, false, false},
		"unattended":       {"true", false, false, true, false, false},
		"long":             {strings.Repeat("true; ", 1000), false, false, false, true, false},
		"many lines":       {strings.Repeat("true\n", 100), false, false, false, true, false},
		"some lines":       {"true #\nfalse", false, false, false, true, true},
	} {
		questions = nil
		w := &wants{name: "Bash", path: filepath.Join(home, "diary"), write: row.write}
		made := newEscalating(home, w, ask)
		made.reading, made.outside = row.reads, !row.reads
		call := tool.Call{Args: map[string]any{"command": row.command}, Sandbox: tool.Sandbox{Unattended: row.alone}}
		if _, err := made.Execute(t.Context(), call); err == nil {
			t.Errorf("%s: it succeeded", name)
		}
		if asked := len(questions) > 0; asked != row.asked || asked && questions[0].Offers(policy.Outside) != row.outside {
			t.Errorf("%s: asked %+v", name, questions)
		}
		if name == "some lines" && (questions[0].Access.Why[0] != "for Bash: true #" || questions[0].Access.Why[1] != "    false") {
			t.Errorf("%s: the question shows %q", name, questions[0].Access.Why)
		}
	}
}

// TestEscalatingApproved checks that what was approved does not count where it could not be asked about any more: the path is a link now, or the
// working directory is another one.
func TestEscalatingApproved(t *testing.T) {
	t.Parallel()
	home := escalatingScene(t)
	w := &wants{name: "Bash", path: filepath.Join(home, "diary")}
	made := newEscalating(home, w, func(_ context.Context, q policy.Question) (policy.Answer, error) {
		return policy.Answer{Decision: policy.Session, Pattern: q.Pattern}, nil
	})
	if _, err := made.Execute(t.Context(), tool.Call{}); err != nil || len(made.approved().Read) != 1 {
		t.Fatalf("got %+v, %v", made.approved(), err)
	}
	for _, target := range []string{".ssh/id", "project/y", ".profile"} {
		if err := errors.Join(os.Remove(w.path), os.Symlink(filepath.Join(home, target), w.path)); err != nil {
			t.Fatal(err)
		}
		got := made.approved()
		if allowed := made.policy.Allowing(made.in.place, got.Read, got.Write); len(allowed.ReadOnly) != len(made.policy.ReadOnly) {
			t.Errorf("a link to %s is granted: %+v", target, got)
		}
	}
	made.source.Config.Workdir = home
	if got := made.approved(); len(got.Read)+len(got.Write) > 0 {
		t.Errorf("in another directory: %+v", got)
	}
}

// TestCreateGranted creates the file that the user granted, and removes it if nobody writes to it.
func TestCreateGranted(t *testing.T) {
	t.Parallel()
	home := escalatingScene(t)
	if err := os.Symlink(".ssh", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, "new")
	for _, text := range []string{"", "text"} {
		withdraw, err := createGranted(path)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		withdraw()
		if _, err := os.Lstat(path); (err == nil) != (text != "") {
			t.Errorf("with %q in it: %v", text, err)
		}
	}
	withdraw, err := createGranted(filepath.Join(home, "diary"))
	if err != nil {
		t.Fatal(err)
	}
	withdraw()
	if _, err := os.Lstat(filepath.Join(home, "diary")); err != nil {
		t.Error("a file that existed is removed")
	}
	if _, err := createGranted(filepath.Join(home, "link", "x")); err == nil {
		t.Error("it is created through a link")
	}
}
