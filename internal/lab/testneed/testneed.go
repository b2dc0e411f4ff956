package testneed

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that lists the required abilities.
const Variable = "AURA_TEST_REQUIRE"

// Ability is something that a machine or a user may lack.
type Ability string

// Abilities of the system and of the user.
const (
	// Sandbox is a kernel that can confine a process.
	Sandbox Ability = "sandbox"
	// Namespaces are process and mount namespaces with a /proc, created by a confined process.
	Namespaces Ability = "namespaces"
	// LimitedNamespaces is a user namespace in which no process namespace can be created.
	LimitedNamespaces Ability = "limited-namespaces"
	// Mounts is a mount namespace in which a file system can be mounted.
	Mounts Ability = "mounts"
	// Tracing is permission to trace processes.
	Tracing Ability = "tracing"
	// Outside is a directory that every user can write to and that no sandbox policy grants.
	Outside Ability = "outside"
	// Root means that the tests run as root.
	Root Ability = "root"
	// OrdinaryUser means that the tests run as a user other than root.
	OrdinaryUser Ability = "ordinary-user"
	// Linux and Unix are operating systems.
	Linux Ability = "linux"
	Unix  Ability = "unix"
	// Links means that this user can create symbolic links.
	Links Ability = "links"
	// SparseFiles are files with holes.
	SparseFiles Ability = "sparse-files"
	// Devices means that this user can create device nodes, which even root cannot do in some containers.
	Devices Ability = "devices"
	// InodeReuse is a file system that gives the inode number of a removed directory to a new one.
	InodeReuse Ability = "inode-reuse"
	// MemoryFiles means that programs can run from memory.
	MemoryFiles Ability = "memory-files"
	// Terminal is a pseudo-terminal.
	Terminal Ability = "terminal"
	// Modules means that the module cache or a proxy has the needed Go modules.
	Modules Ability = "modules"
	// ACPClient is the npm package of the Agent Client Protocol, installed for its test.
	ACPClient Ability = "acp-client"
	// Axe is the npm package with the rules of accessibility, installed for its test.
	Axe Ability = "axe"
	// Platform means that programs of another platform were built, and that this machine can run them.
	Platform Ability = "platform"
	// Toolchain is the Go release that the generated declarations belong to.
	Toolchain Ability = "toolchain"
	// Release is a release in a directory, which 'make release-check' makes.
	Release Ability = "release"
)

// programs maps the ability to run a program to the program.
var programs = map[Ability]string{
	"bash": "bash", "cargo": "cargo", "chromium": "chromium", "curl": "curl", "dash": "dash", "dpkg": "dpkg", "git": "git", "go": "go", "gopls": "gopls", "node": "node", "npm": "npm", "npm-registry": "npm", "pip": "python3", "python": "python3", "requests": "python3", "rpm": "rpm", "setsid": "setsid", "sh": "sh", "ssh": "ssh", "ssh-keygen": "ssh-keygen", "systemd-analyze": "systemd-analyze", "tmux": "tmux", "wget": "wget",
}

var known = []Ability{
	Sandbox, Namespaces, LimitedNamespaces, Mounts, Tracing, Outside, Root, OrdinaryUser, Linux, Unix, Links, SparseFiles, Devices, InodeReuse, MemoryFiles,
	Terminal, Modules, ACPClient, Axe, Platform, Toolchain, Release,
}

// Missing ends the test because the ability is missing: with a skip, or with a failure if the ability is required.
func Missing(tb testing.TB, ability Ability, why any) {
	tb.Helper()
	required, err := Required()
	if err != nil {
		tb.Fatal(err)
	}
	if slices.Contains(required, ability) {
		tb.Fatalf("%s requires %q, which is missing: %v", Variable, ability, why)
	}
	tb.Skipf("%q is missing: %v", ability, why)
}

// Has returns has, for tests that check less without the ability. It returns an error if the ability is required and missing.
func Has(ability Ability, has bool) (bool, error) {
	required, err := Required()
	if err == nil && !has && slices.Contains(required, ability) {
		err = fmt.Errorf("%s requires %q, which is missing", Variable, ability)
	}
	return has, err
}

// checks are command lines that succeed if a program is new enough or complete enough, by ability.
var checks = map[Ability][]string{
	"python":   {"-I", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"},
	"pip":      {"-I", "-m", "pip", "--version"},
	"requests": {"-I", "-c", "import requests"},
	"node":     {"-e", "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"},
	"cargo":    {"--version"},
	// A package that the tests install.
	"npm-registry": {"view", "prettier", "version"},
}

// Find returns the path of a program, or an error if it is missing, too old or not complete. The ability is a key of programs.
func Find(ability Ability) (string, error) {
	name, ok := programs[ability]
	if !ok {
		return "", fmt.Errorf("no program is known for %q: add a row to the table of programs", ability)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	if args := checks[ability]; args != nil {
		if out, err := exec.Command(path, args...).CombinedOutput(); err != nil { //nolint:gosec // the tables are ours
			return "", fmt.Errorf("%s does not fit: %w: %s", path, err, out)
		}
	}
	return path, nil
}

// Program returns the path of a program, and ends the test if the program is missing. The ability is a key of programs.
func Program(tb testing.TB, ability Ability) string {
	tb.Helper()
	if _, ok := programs[ability]; !ok {
		tb.Fatalf("no program is known for %q: add a row to the table of programs", ability)
	}
	path, err := Find(ability)
	if err != nil {
		Missing(tb, ability, err)
	}
	return path
}

// Link creates a symbolic link, and ends the test if the system or the user cannot create one.
func Link(tb testing.TB, target, path string) {
	tb.Helper()
	if err := os.Symlink(target, path); err != nil {
		Missing(tb, Links, err)
	}
}

// OnlyIn skips a test that is not a test on its own: another test runs it in a separate process and sets the variable for it.
func OnlyIn(tb testing.TB, parent, variable string) {
	tb.Helper()
	if os.Getenv(variable) == "" {
		tb.Skipf("%s runs this test in a process of its own", parent)
	}
}

// Long skips a test that takes much processor time, if only the short tests are to run. 'make test' runs those, and 'make test-exhaustive' the
// long ones.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("left out by -short: make test-exhaustive runs it")
	}
}

// Times returns how often a test repeats what it does: few times if only the short tests are to run, many times otherwise.
func Times(few, many int) int {
	if testing.Short() {
		return few
	}
	return many
}

// TakeOver skips the test because a separate process skipped it. That process has already decided whether the ability was
// required. report is its output.
func TakeOver(tb testing.TB, report string) {
	tb.Helper()
	tb.Skipf("in a process of its own: %s", report)
}

// Required returns the abilities that AURA_TEST_REQUIRE lists. An unknown name is an error.
func Required() ([]Ability, error) {
	var out []Ability
	for name := range strings.SplitSeq(os.Getenv(Variable), ",") {
		ability := Ability(strings.TrimSpace(name))
		if ability == "" {
			continue
		}
		if _, program := programs[ability]; !program && !slices.Contains(known, ability) {
			return nil, fmt.Errorf("reading %s: unknown ability %q; known are %s", Variable, ability, strings.Join(names(), ", "))
		}
		out = append(out, ability)
	}
	return out, nil
}

// Without returns the value of AURA_TEST_REQUIRE for a process that lacks some abilities on purpose.
func Without(lacking ...Ability) (string, error) {
	required, err := Required()
	if err != nil {
		return "", err
	}
	var out []string
	for _, ability := range required {
		if !slices.Contains(lacking, ability) {
			out = append(out, string(ability))
		}
	}
	return Variable + "=" + strings.Join(out, ","), nil
}

func names() []string {
	var out []string
	for _, ability := range known {
		out = append(out, string(ability))
	}
	for ability := range programs {
		out = append(out, string(ability))
	}
	slices.Sort(out)
	return out
}
