package python

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/process"
)

// question is what the interpreter is asked. It prints one JSON object.
//
//go:embed question.py
var question string

const (
	// patience limits how long the interpreter may take to answer. A version manager's script may take a while.
	patience = 15 * time.Second
	// mark is the environment variable by which descendants of the interpreter are found.
	mark = "AURA_PYTHON"
	// longest limits the size of an answer, in bytes.
	longest = 1 << 20
)

// passed lists the variables that decide which interpreter a version manager's script starts. An isolated interpreter ignores its
// own variables.
var passed = []string{
	"HOME", "PYENV_ROOT", "PYENV_VERSION", "ASDF_DIR", "ASDF_DATA_DIR", "ASDF_PYTHON_VERSION", "MISE_DATA_DIR", "MISE_CONFIG_DIR", "MISE_PYTHON_VERSION",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "SystemRoot",
}

// chosen lists the files, below the home directory, in which version managers store the user's choice of an interpreter.
var chosen = []string{".pyenv/version", ".python-version", ".tool-versions", ".config/mise/config.toml"}

// key returns what the answer of a program depends on: the program, the choices of version managers and the question.
func (e Environment) key(found string) string {
	parts := []string{question, identity(found), identity(filepath.Join(filepath.Dir(filepath.Dir(found)), "version"))}
	// pyvenv.cfg makes a directory a virtual environment.
	parts = append(parts, identity(filepath.Join(filepath.Dir(filepath.Dir(found)), "pyvenv.cfg")))
	for _, name := range passed {
		parts = append(parts, name+"="+e.variable(name))
	}
	for _, file := range chosen {
		if home := e.variable("HOME"); home != "" {
			parts = append(parts, identity(filepath.Join(home, file)))
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// ask returns the cached answer of a program, or starts the program and caches its answer.
func (e Environment) ask(found, key string) (Interpreter, error) {
	if i, ok := e.recall(key); ok {
		return i, nil
	}
	i, err := e.query(found)
	if err != nil {
		return Interpreter{}, err
	}
	if e.writable(i.Program) {
		return Interpreter{}, unavailable("%s starts %s, which tools can change; install Python %d.%d or newer elsewhere", found, i.Program, Oldest[0], Oldest[1])
	}
	// Without a cached answer, the next start asks again.
	_ = e.remember(key, i)
	return i, nil
}

// query starts the program. The program runs in its own directory, where a project cannot place files for it to read.
func (e Environment) query(found string) (Interpreter, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out := &process.Head{Max: longest}
	last := &process.Tail{Max: 500}
	err := process.Run(ctx, process.Spec{
		Path: found, Args: []string{found, "-I", "-S", "-c", question}, Dir: filepath.Dir(found), Env: e.environ(found),
		Stdout: out, Stderr: last, Mark: mark, Guard: true,
	})
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Interpreter{}, unavailable("%s did not answer within %s", found, patience)
	case err != nil:
		return Interpreter{}, unavailable("%s does not run: %v%s", found, err, because(last.String()))
	}
	kept, _ := out.Kept()
	i := Interpreter{Found: found}
	if err := json.Unmarshal(bytes.TrimSpace(kept), &i); err != nil || !filepath.IsAbs(i.Program) {
		return Interpreter{}, unavailable("%s does not answer like Python", found)
	}
	return i, nil
}

// because returns the last line of a program's error output for a message.
func because(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return ": " + last
	}
	return ""
}

// environ returns the variables of the program. Its PATH has no directory that confined code can write to.
func (e Environment) environ(found string) []string {
	dirs := []string{filepath.Dir(found)}
	for _, dir := range filepath.SplitList(e.variable("PATH")) {
		if filepath.IsAbs(dir) && !e.writable(dir) {
			dirs = append(dirs, dir)
		}
	}
	out := []string{"PATH=" + strings.Join(dirs, string(filepath.ListSeparator))}
	if runtime.GOOS != "windows" {
		out = append(out, "LC_ALL=C.UTF-8")
	}
	for _, name := range passed {
		if value := e.variable(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

func (e Environment) file(key string) string {
	return filepath.Join(e.Cache, "interpreters", key+".json")
}

// recall returns a cached answer. The answer does not count if the interpreter changed, or if packages were installed since.
func (e Environment) recall(key string) (Interpreter, bool) {
	var c cached
	if e.Cache == "" {
		return Interpreter{}, false
	}
	text, err := files.ReadNoFollow(e.file(key), longest)
	if err != nil || json.Unmarshal(text, &c) != nil || c.Identity != c.identity() || e.writable(c.Program) {
		return Interpreter{}, false
	}
	return c.Interpreter, true
}

// cached is an answer together with the identity of what it describes.
type cached struct {
	Interpreter

	Identity string `json:"identity"`
}

// identity describes the interpreter and the directories of its modules. Installing a package changes such a directory.
func (i Interpreter) identity() string {
	parts := []string{identity(i.Program)}
	for _, dir := range i.Path {
		parts = append(parts, identity(dir))
	}
	return strings.Join(parts, "\n")
}

func (e Environment) remember(key string, i Interpreter) error {
	if e.Cache == "" {
		return nil
	}
	text, err := json.Marshal(cached{i, i.identity()})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(e.file(key)), 0o700)
	}
	if err == nil {
		err = files.Replace(e.file(key), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("remembering where Python is: %w", err)
	}
	return nil
}
