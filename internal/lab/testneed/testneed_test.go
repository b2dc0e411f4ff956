package testneed_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// recorder records how a test ended instead of ending it.
type recorder struct {
	testing.TB
	outcome string
}

type ended struct{}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) {
	r.outcome = "skipped: " + fmt.Sprintf(format, args...)
	panic(ended{})
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.outcome = "failed: " + fmt.Sprintf(format, args...)
	panic(ended{})
}

func (r *recorder) Fatal(args ...any) {
	r.outcome = "failed: " + fmt.Sprint(args...)
	panic(ended{})
}

// outcome runs a check and returns how it ended, or "" if it did not end the test.
func outcome(check func(r *recorder)) string {
	r := &recorder{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != (ended{}) {
				panic(p)
			}
		}()
		check(r)
	}()
	return r.outcome
}

func TestMissing(t *testing.T) {
	missing := func(r *recorder) { testneed.Missing(r, testneed.Sandbox, "no Landlock") }
	program := func(r *recorder) { testneed.Program(r, "tmux") }
	for name, tt := range map[string]struct {
		required string
		check    func(r *recorder)
		want     string
	}{
		"not required":         {"", missing, `skipped: "sandbox" is missing: no Landlock`},
		"another one required": {"tmux,python", missing, `skipped: "sandbox" is missing`},
		"required":             {"sandbox", missing, `failed: AURA_TEST_REQUIRE requires "sandbox", which is missing: no Landlock`},
		"one of several":       {"tmux, sandbox,python", missing, `failed: AURA_TEST_REQUIRE requires "sandbox"`},
		"unknown":              {"sanbox", missing, `failed: reading AURA_TEST_REQUIRE: unknown ability "sanbox"; known are acp-client, axe, bash, cargo, chromium, curl, dash, devices, dpkg, git, go,`},
		"program":              {"sandbox", program, `skipped: "tmux" is missing`},
		"required program":     {"tmux", program, `failed: AURA_TEST_REQUIRE requires "tmux"`},
		"unknown program":      {"", func(r *recorder) { testneed.Program(r, "emacs") }, `failed: no program is known for "emacs"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(testneed.Variable, tt.required)
			t.Setenv("PATH", t.TempDir())
			if got := outcome(tt.check); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/tmux", []byte("#!/bin/sh\n"), 0o755); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("PATHEXT", ".") // on Windows, lets a program without an extension be found
	t.Setenv(testneed.Variable, "tmux")
	if got := outcome(func(r *recorder) { testneed.Program(r, "tmux") }); got != "" {
		t.Error(got)
	}
}

func TestWithout(t *testing.T) {
	t.Setenv(testneed.Variable, "sandbox,root, namespaces,tmux")
	got, err := testneed.Without(testneed.Root, testneed.Namespaces)
	if want := testneed.Variable + "=sandbox,tmux"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestOnlyIn(t *testing.T) {
	check := func(r *recorder) { testneed.OnlyIn(r, "TestParent", "AURA_TEST_CHILD") }
	if got, want := outcome(check), "skipped: TestParent runs this test in a process of its own"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Setenv("AURA_TEST_CHILD", "1")
	if got := outcome(check); got != "" {
		t.Error(got)
	}
}
