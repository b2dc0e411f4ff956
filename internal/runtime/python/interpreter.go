// Package python finds the Python interpreter that runs extensions, and the extensions: files and packages in directories, and
// those that installed packages declare. It runs nothing but the interpreter itself, to ask the interpreter where it is located.
package python

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/files"
)

// Oldest is the oldest version that can run extensions.
var Oldest = Version{3, 11, 0}

// Version is a version of Python: major, minor and micro.
type Version [3]int

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// Before reports whether v is older than other.
func (v Version) Before(other Version) bool { return slices.Compare(v[:], other[:]) < 0 }

// Interpreter describes a Python interpreter as it describes itself.
type Interpreter struct {
	// Found is the program in PATH. Program is the interpreter that it starts: Found may be a version manager's script.
	Found   string  `json:"found"`
	Program string  `json:"program"`
	Version Version `json:"version"`
	// Prefixes are the roots of the installation and, in a virtual environment, also the root of the environment. Library is the
	// directory of the standard library.
	Prefixes []string `json:"prefixes"`
	Library  string   `json:"library"`
	// Path is where modules are imported from.
	Path []string `json:"path"`
	// Extensions are those that installed packages declare.
	Extensions []Declared `json:"extensions"`
}

// Declared is an extension that a package declares in its metadata, by the group of entry points aar_extensions.
type Declared struct {
	Name string `json:"name"`
	// Entry is the function that registers the extension, as module:function.
	Entry string `json:"entry"`
	// Dir is the directory or the file of the module; empty if the interpreter does not find the module.
	Dir string `json:"dir"`
	// Package is the name of the package.
	Package string `json:"package"`
}

// Environment is where the interpreter is looked for.
type Environment struct {
	// Environ holds the user's variables as NAME=value. Variables of env files must not be part of it.
	Environ []string
	// Writable lists directories that confined code can write to. A program there is never started.
	Writable []string
	// Cache is a directory for answers of interpreters that confined code cannot write to; empty means that nothing is cached.
	Cache string
	// OnlyCached starts no program: without a cached answer, there is no interpreter.
	OnlyCached bool
}

// UnavailableError says why no interpreter can run extensions.
type UnavailableError struct{ Reason string }

func (e *UnavailableError) Error() string { return e.Reason }

func unavailable(format string, args ...any) error {
	return &UnavailableError{fmt.Sprintf(format, args...)}
}

// answers holds the results of Find in this process, by what the results depend on.
var answers sync.Map

// answer is what an interpreter answered. identity describes what the answer depends on; empty means that nothing was asked yet.
type answer struct {
	mu       sync.Mutex
	identity string
	i        Interpreter
	err      error
}

// get returns the answer. It asks only the first time, and again if packages were installed since.
func (a *answer) get(ask func() (Interpreter, error)) (Interpreter, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.identity == "" || a.identity != a.i.identity() {
		a.i, a.err = ask()
		a.identity = a.i.identity()
	}
	return a.i, a.err
}

// Find returns the first python3 in PATH. It starts the program only if the answer of the same program, with the same packages, is
// not cached. If no interpreter can run extensions, the error is an *UnavailableError.
func Find(e Environment) (Interpreter, error) {
	found, err := e.look()
	if err != nil {
		return Interpreter{}, err
	}
	key := e.key(found)
	if e.OnlyCached {
		if i, ok := e.recall(key); ok {
			return e.checkInterpreter(i)
		}
		return Interpreter{}, unavailable("%s was not asked for its version, because nothing is started in a directory that is not trusted", found)
	}
	entry, _ := answers.LoadOrStore(key, &answer{})
	a, _ := entry.(*answer)
	i, err := a.get(func() (Interpreter, error) { return e.ask(found, key) })
	if err != nil {
		return Interpreter{}, err
	}
	return e.checkInterpreter(i)
}

// checkInterpreter returns an error if the interpreter is too old, or if confined code can add modules to it: a module named sitecustomize is
// imported at every start, so it could switch off a guard. A package that is developed in the project makes the project such a place.
func (e Environment) checkInterpreter(i Interpreter) (Interpreter, error) {
	if at := slices.IndexFunc(i.Path, func(dir string) bool { return present(dir) && e.writable(dir) }); at >= 0 {
		return i, unavailable("%s imports modules from %s, which tools can change; install that package in another way, or use another Python", i.Found, i.Path[at])
	}
	if i.Version.Before(Oldest) {
		return i, unavailable("%s is Python %s, and extensions need %d.%d or newer", i.Found, i.Version, Oldest[0], Oldest[1])
	}
	return i, nil
}

// look returns the first python3 in PATH that confined code cannot have written.
func (e Environment) look() (string, error) {
	name, path := "python3", e.variable("PATH")
	if runtime.GOOS == "windows" {
		name = "python"
	}
	var skipped []string
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(dir, name))
		switch {
		case err != nil:
		case e.writable(found):
			skipped = append(skipped, found)
		default:
			return found, nil
		}
	}
	if len(skipped) > 0 {
		return "", unavailable("the only python3 in PATH is %s, which tools can change; install Python %d.%d or newer elsewhere",
			strings.Join(skipped, ", "), Oldest[0], Oldest[1])
	}
	return "", unavailable("there is no python3 in PATH; install Python %d.%d or newer", Oldest[0], Oldest[1])
}

// writable reports whether confined code can replace a program, or the file that it leads to.
func (e Environment) writable(program string) bool {
	end, err := filepath.EvalSymlinks(program)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(e.Writable, func(dir string) bool {
		if dir == "" {
			return false
		}
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		// The directory of the program is resolved without the program, which may be a link.
		place, err := filepath.EvalSymlinks(filepath.Dir(program))
		return err != nil || files.Within(dir, place) || files.Within(dir, end)
	})
}

func present(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (e Environment) variable(name string) string {
	for _, entry := range slices.Backward(e.Environ) {
		key, value, _ := strings.Cut(entry, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// Readable returns the files and directories that the interpreter reads. It leaves out directories that contain home, because
// they are not only the interpreter's.
func (i Interpreter) Readable(home string) []string {
	var out []string
	add := func(paths ...string) {
		for _, path := range paths {
			if filepath.IsAbs(path) && !holds(path, home) && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	add(i.Program)
	// A virtual environment leads to the interpreter by a link.
	if end, err := filepath.EvalSymlinks(i.Program); err == nil {
		add(end)
	}
	add(i.Prefixes...)
	add(i.Library)
	add(i.Path...)
	return out
}

// holds reports whether a directory is or contains home, or is the whole system.
func holds(dir, home string) bool {
	dir = filepath.Clean(dir)
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		home = resolved
	}
	return filepath.Dir(dir) == dir || home != "" && files.Within(dir, home)
}

// identity describes a file so that a changed or replaced file has another description.
func identity(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path + " is missing"
	}
	end, err := filepath.EvalSymlinks(path)
	if err != nil {
		end = path
	}
	return fmt.Sprintf("%s %s %d %d", path, end, info.Size(), info.ModTime().UnixNano())
}
