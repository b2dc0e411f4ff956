package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/strictyaml"
)

// DefaultEnvFile is read where no other file is named.
const DefaultEnvFile = "secrets.env"

// ProcessEnviron is the environment of this process, as NAME=value.
func ProcessEnviron() []string { return os.Environ() }

// Lookup finds a variable in an environment. If it is there twice the first counts, as it does for the process itself.
func Lookup(environ []string, name string) (string, bool) {
	for _, entry := range environ {
		if key, value, ok := strings.Cut(entry, "="); ok && sameName(key, name) {
			return value, true
		}
	}
	return "", false
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// environment is the process's variables with those of the env files beneath.
type environment []string

// inherited is the process's variables alone.
func (o Options) inherited() []string {
	if o.Environ == nil {
		return ProcessEnviron()
	}
	return o.Environ
}

// envFiles are the files with more of them, whether they exist or not.
func (o Options) envFiles(workdir string) []string {
	files := o.EnvFiles
	if files == nil {
		files = []string{DefaultEnvFile}
	}
	out := make([]string, 0, len(files))
	for _, name := range files {
		out = append(out, absolute(workdir, name))
	}
	return out
}

// loadEnvironment also returns what the user should know of the env files.
func loadEnvironment(o Options, workdir string) (environment, []string, error) {
	environ, values := o.inherited(), map[string]string{}
	var notices []string
	for _, path := range o.envFiles(workdir) {
		if o.Safe && o.EnvFiles == nil {
			continue
		}
		read, ignored, err := readEnvFile(path)
		if errors.Is(err, fs.ErrNotExist) && o.EnvFiles == nil {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(values, read)
		notices = append(notices, ignored...)
	}
	merged := slices.Clone(environ)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, set := Lookup(environ, name); !set {
			merged = append(merged, name+"="+values[name])
		}
	}
	return merged, notices, nil
}

// readEnvFile reads the variables of a file. Those that an env file may not set are left out, with a notice each.
func readEnvFile(path string) (values map[string]string, notices []string, err error) {
	data, err := files.Read(path, files.MaxText)
	if err != nil {
		return nil, nil, fmt.Errorf("reading environment file: %w", err)
	}
	values, ok := parseEnv(data)
	if !ok {
		return nil, nil, fmt.Errorf("reading environment file: %w", &strictyaml.Error{
			File: path, Line: faultyLine(string(data)), Err: errors.New("expected NAME=value, with every quote closed"),
		})
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if why := reservedFor(name); why != "" {
			delete(values, name)
			notices = append(notices, fmt.Sprintf("%s:%d: %s is ignored: an env file cannot set it, because it %s; "+
				"set it in the environment that aura is started from", path, lineOfVariable(string(data), name), name, why))
		}
	}
	return values, notices, nil
}

// EnvFileNames are the variables that an env file sets.
func EnvFileNames(path string) ([]string, error) {
	values, _, err := readEnvFile(path)
	return slices.Sorted(maps.Keys(values)), err
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// parseEnv keeps the reason of a failure to itself: the parser's message repeats the file, which is full of secrets.
func parseEnv(data []byte) (map[string]string, bool) {
	values, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		return nil, false
	}
	for name, value := range values {
		if !variableName.MatchString(name) || strings.ContainsRune(value, 0) {
			return nil, false
		}
	}
	return values, true
}

// faultyLine is the line after the longest run of lines that can be parsed.
func faultyLine(text string) int {
	lines := strings.SplitAfter(text, "\n")
	for n := len(lines) - 1; n > 0; n-- {
		if _, ok := parseEnv([]byte(strings.Join(lines[:n], ""))); ok {
			return n + 1
		}
	}
	return 1
}
