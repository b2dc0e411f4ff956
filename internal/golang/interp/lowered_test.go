package interp

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const lowerable = hook + `
func message(context.Context, sdk.BeforeChatContext) string { return pick([]string{"first", "second"}) }

func pick[T any](list []T) T { return list[0] }
`

// TestLoweredAgain loads a plugin with the lowered source of an earlier load. It is used only if it belongs to the same files in the
// same directory; anything else is lowered again.
func TestLoweredAgain(t *testing.T) {
	t.Parallel()
	loadFrom := func(t *testing.T, dir string, lowered []byte) *Plugin {
		t.Helper()
		out := output(t)
		p, err := Load(Options{Name: "my-plugin", Dir: dir, Lowered: lowered, Stdout: out, Stderr: out})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	change := func(t *testing.T, dir string) {
		t.Helper()
		name := filepath.Join(dir, "main.go")
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, bytes.ReplaceAll(text, []byte(`"first"`), []byte(`"other"`)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		before func(t *testing.T, dir string)
		given  func(lowered []byte) []byte
		used   bool
		want   string
	}{
		"the same": {used: true, want: "first"},
		"changed":  {before: change, want: "other"},
		"one more file": {before: func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, "z.go"), []byte("package my_plugin\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: "first"},
		"damaged":  {given: func(b []byte) []byte { return append([]byte{0xff}, b...) }, want: "first"},
		"cut off":  {given: func(b []byte) []byte { return b[:len(b)/2] }, want: "first"},
		"no bytes": {given: func([]byte) []byte { return nil }, want: "first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, lowerable)
			lowered := loadFrom(t, dir, nil).exports.Lowered
			if len(lowered) == 0 {
				t.Fatal("the first load returns no lowered source")
			}
			if row.before != nil {
				row.before(t, dir)
			}
			if row.given != nil {
				lowered = row.given(lowered)
			}
			p := loadFrom(t, dir, lowered)
			if used := len(p.exports.Lowered) == 0; used != row.used {
				t.Errorf("used: %t, want %t", used, row.used)
			}
			if got, err := beforeChat(t, p); err != nil || got != row.want {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
		})
	}
	t.Run("another directory", func(t *testing.T) {
		t.Parallel()
		lowered := loadFrom(t, unpack(t, lowerable), nil).exports.Lowered
		if p := loadFrom(t, unpack(t, lowerable), lowered); len(p.exports.Lowered) == 0 {
			t.Error("lines would be reported in the wrong file")
		}
	})
}
