//go:build unix

package scripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	commands["json"] = checkJSON
	commands["jsonenv"] = jsonToEnv
	commands["jsonlines"] = jsonLines
	commands["exits"] = exits
}

// json FILE PATH [WANT] looks up a value in JSON and compares it as text or, if WANT begins with ~, with a regular expression.
// Without WANT the value must only exist. FILE may be stdout; several values in the file are treated as a list.
//
// The steps of a path are separated by slashes: a key, an index, len for the length, or conditions such as
// type=notice,text~boom, which select the first element of a list that meets all of them.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [WANT]")
	}
	got, err := lookUp(decodeAll(ts, args[0]), strings.Split(args[1], "/"))
	switch {
	case len(args) == 2 && (err == nil) == neg:
		ts.Fatalf("%s: found %v, %v", args[1], got, err)
	case len(args) == 2:
	case err != nil:
		ts.Fatalf("%s: %v", args[1], err)
	case fits(args[2], asText(got)) == neg:
		ts.Fatalf("%s is %s", args[1], asText(got))
	}
}

// jsonenv NAME FILE PATH stores the value that json finds in an environment variable.
func jsonToEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: jsonenv NAME FILE PATH")
	}
	got, err := lookUp(decodeAll(ts, args[1]), strings.Split(args[2], "/"))
	ts.Check(err)
	ts.Setenv(args[0], asText(got))
}

// jsonlines FILE checks that every line of a file is an event and that there is at least one line.
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: jsonlines FILE")
	}
	for i, line := range strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n") {
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Type == "" {
			ts.Fatalf("line %d is no event: %q (%v)", i+1, line, err)
		}
	}
}

// exits CODE PROGRAM [ARG...] runs a program that must exit with a code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		code = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func decodeAll(ts *testscript.TestScript, file string) any {
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(file))))
	d.UseNumber()
	all := []any{}
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		all = append(all, v)
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

func lookUp(v any, path []string) (any, error) {
	for _, step := range path {
		var next any
		ok := false
		switch v := v.(type) {
		case map[string]any:
			if next, ok = v[step]; !ok && step == "len" {
				next, ok = len(v), true
			}
		case []any:
			next, ok = pick(v, step)
		}
		if !ok || next == nil {
			return nil, fmt.Errorf("there is no %q in %.2000s", step, asText(v))
		}
		v = next
	}
	return v, nil
}

func pick(list []any, step string) (any, bool) {
	if step == "len" {
		return len(list), true
	}
	if i, err := strconv.Atoi(step); err == nil {
		if i < 0 || i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	for _, v := range list {
		if fulfils(v, strings.Split(step, ",")) {
			return v, true
		}
	}
	return nil, false
}

func fulfils(v any, conditions []string) bool {
	object, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for _, c := range conditions {
		i := strings.IndexAny(c, "=~")
		if i < 0 {
			return false
		}
		value, has := object[c[:i]]
		if !has || !fits(strings.TrimPrefix(c[i:], "="), asText(value)) {
			return false
		}
	}
	return true
}

// fits compares a text with want, which is a regular expression if it begins with ~.
func fits(want, got string) bool {
	if pattern, ok := strings.CutPrefix(want, "~"); ok {
		return regexp.MustCompile("(?s)" + pattern).MatchString(got)
	}
	return want == got
}

// asText returns a string unchanged and any other value as JSON.
func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
