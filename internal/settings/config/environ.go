package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/joho/godotenv"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// DefaultEnvFile is the env file that is read if no other is named.
const DefaultEnvFile = "secrets.env"

// withheld begins the names of the variables that no child process gets: the headers of the exporters contain secrets.
const withheld = "OTEL_EXPORTER_"

// ProcessEnviron returns the environment of this process, as NAME=value, without the variables that only the exporters of
// package telemetry use. Everything that aura starts gets its variables from here.
func ProcessEnviron() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return len(entry) >= len(withheld) && strings.EqualFold(entry[:len(withheld)], withheld)
	})
}

// Lookup returns the value of a variable in an environment. If the variable occurs twice, the first value is used, as the process
// itself does.
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

// environment holds the variables of the process, followed by those of the env files.
type environment []string

// inherited returns only the variables of the process.
func (o Options) inherited() []string {
	if o.Environ == nil {
		return ProcessEnviron()
	}
	return o.Environ
}

// envFiles returns the paths of the env files, whether they exist or not.
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

// loadEnvironment reads the env files. It also returns notices about them for the user.
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

// readEnvFile reads the variables of a file. It skips variables that an env file may not set, and returns a notice for each.
func readEnvFile(path string) (values map[string]string, notices []string, err error) {
	data, err := files.Read(path, files.MaxText)
	if err != nil {
		return nil, nil, fmt.Errorf("reading environment file: %w", err)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin a file with this mark
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

// EnvFileNames returns the names of the variables that an env file sets.
func EnvFileNames(path string) ([]string, error) {
	values, _, err := readEnvFile(path)
	return slices.Sorted(maps.Keys(values)), err
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`) })

// parseEnv does not return the parser's error, because its message repeats the file, which contains secrets.
func parseEnv(data []byte) (map[string]string, bool) {
	values, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		return nil, false
	}
	for name, value := range values {
		if !variableName().MatchString(name) || strings.ContainsRune(value, 0) {
			return nil, false
		}
	}
	return values, true
}

// faultyLine returns the line after the longest sequence of leading lines that can be parsed.
func faultyLine(text string) int {
	lines := strings.SplitAfter(text, "\n")
	for n := len(lines) - 1; n > 0; n-- {
		if _, ok := parseEnv([]byte(strings.Join(lines[:n], ""))); ok {
			return n + 1
		}
	}
	return 1
}
