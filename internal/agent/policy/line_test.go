package policy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestLineRunsOnly runs each line in the real shells, with variables that hold code, and records which programs the shell started. A
// line that the patterns cover starts no program but build; a line that starts another one is not covered.
func TestLineRunsOnly(t *testing.T) {
	t.Parallel()
	patterns := []policy.Approval{}
	for _, p := range []string{"echo *", "echo", "build *", "build", "cd *", "printf *", "test *", "[[] *", "read *", "unset *", "let *", "eval *", ". *", "hash *", "alias *", "wait *", "$X *", "{*", "b*", "!*"} {
		patterns = append(patterns, policy.Approval{Tool: "Bash", Source: "built-in", Rule: "Bash", Dir: "/work", Pattern: "Bash:" + p})
	}
	rows := []struct {
		line   string
		covers bool
		// evil names the shells that start the program evil, a word for each.
		evil string
	}{
		{"echo a", true, ""},
		{`echo 'a' "b $X" ${Y} $? \$\(evil\) "\$(evil)"`, true, ""},
		{"echo $X $Y; build $Z | build 2>&1 >/dev/null && (cd . && build x)", true, ""},
		{"echo a # $(evil)", true, ""},
		{"echo *.go {a,b} ~ [a-z]", true, ""},
		{"echo ${X@P}", false, "bash"},
		{`echo "${X@P}"`, false, "bash"},
		{"echo $((Y))", false, "bash"},
		{"echo $[Y]", false, "bash"},
		{"echo ${!Y}", false, "bash"},
		{"echo ${!Z}", false, ""},
		{"echo ${a[Y]}", false, "bash"},
		{"echo ${X:Y}", false, "bash"},
		{"echo ${X:-$(evil)}", false, ""},
		{"echo ${U:-$(evil)}", false, "bash dash"},
		{"echo ${U:=x}", false, ""},
		{"echo ${U:=x} ${X/$(evil)}", false, "bash"},
		{"echo $(evil)", false, "bash dash"},
		{"echo `evil`", false, "bash dash"},
		{`echo "$(evil)"`, false, "bash dash"},
		{"echo <(evil)", false, "bash"},
		{"echo $'a\\'; evil #'", false, "dash"},
		{"echo $\"$(evil)\"", false, "bash dash"},
		{"echo a > evil-file", false, ""},
		{"echo a {a[$(evil)]}>/dev/null", false, "bash dash"},
		{"echo a {PATH}>/dev/null", false, ""},
		{"echo << E\n$(evil)\nE", false, "bash dash"},
		{"echo <<< $(evil)", false, "bash"},
		{"printf -v 'a[$(evil)]' x", false, "bash"},
		{"test -v 'a[$(evil)]'", false, "bash"},
		{"[ -v 'a[$(evil)]' ]", false, "bash"},
		{"[[ Y -eq 1 ]]", false, "bash"},
		{"[[ -v $Y ]]", false, "bash"},
		{"((Y))", false, "bash"},
		{"let Y", false, "bash"},
		{"unset 'a[$(evil)]'", false, ""},
		{"declare -a 'a[$(evil)]=x'", false, "bash"},
		{"read 'a[$(evil)]'", false, "bash"},
		{"eval evil", false, "bash dash"},
		{"exec evil", false, "bash dash"},
		{"command evil", false, "bash dash"},
		{". ./sourced", false, "bash dash"},
		{"hash -p ./planted build; build", false, "bash"},
		{"alias build=evil\nbuild", false, "dash"},
		{"PATH=./other build", false, "bash dash"},
		{"PATH=./other; build", false, "bash dash"},
		{"export PATH=./other; build", false, "bash dash"},
		{"build() { evil; }; build x", false, "bash dash"},
		{"for build in x; do evil; done", false, "bash dash"},
		{"if evil; then echo x; fi", false, "bash dash"},
		{"time evil", false, "bash"},
		{"coproc evil", false, "bash"},
		{"trap evil EXIT", false, "bash dash"},
		{"$X a", false, ""},
		{"$E a", false, "bash dash"},
		{"{evil,b}", false, "bash"},
		{"b*d-planted x", false, ""},
		{"!(evil)", false, "bash dash"},
		{"echo a & evil", false, "bash dash"},
		{"echo a |& evil", false, "bash"},
		{"echo a; e\\\nvil", false, "bash dash"},
	}
	for _, row := range rows {
		if got := policy.Cover(patterns, line(row.line)); got != row.covers {
			t.Errorf("%q is covered: %v", row.line, got)
		}
	}
	for _, shell := range []string{"bash", "dash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			program := testneed.Program(t, testneed.Ability(shell))
			for _, row := range rows {
				started := startedBy(t, program, row.line)
				if got, want := slices.Contains(started, "evil"), slices.Contains(strings.Fields(row.evil), shell); got != want {
					t.Errorf("%q started %q, want evil: %v", row.line, started, want)
				}
			}
		})
	}
}

// TestBuiltins checks that a star covers no builtin of the real shell that is not known to be inert.
func TestBuiltins(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(testneed.Program(t, "bash"), "-c", "compgen -b").Output()
	if err != nil {
		t.Fatal(err)
	}
	inert := []string{":", "cd", "echo", "false", "pwd", "true"}
	for name := range strings.FieldsSeq(string(out)) {
		if got := line(name+" x").Check("Bash:*") == nil; got != slices.Contains(inert, name) {
			t.Errorf("%s is covered: %v", name, got)
		}
	}
}

// startedBy returns the programs that a shell starts for a line: build and evil, which write their names.
func startedBy(t *testing.T, shell, line string) []string {
	t.Helper()
	dir := t.TempDir()
	record := func(name string) string {
		return "#!/bin/sh\necho " + name + " >>" + filepath.Join(dir, "started") + "\n"
	}
	for name, text := range map[string]string{
		"bin/build": record("build"), "bin/evil": record("evil"), "other/build": record("evil"), "planted": record("evil"), "sourced": "evil\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		// A child that another test forks now would hold the file open for writing, and the kernel would not start it.
		syscall.ForkLock.RLock()
		err := os.WriteFile(path, []byte(text), 0o700)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(shell, "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin"), "X=$(evil)", "Y=a[$(evil)]", "Z=X", "E=evil"}
	// Many of these lines fail after they started the program. The output ends when everything in the background has ended too.
	_, _ = cmd.CombinedOutput()
	text, err := os.ReadFile(filepath.Join(dir, "started"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}
