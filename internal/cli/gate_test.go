package cli

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestAnswers parses the answers that users type. If the user's rule is pinned consent, directories cannot be trusted.
func TestAnswers(t *testing.T) {
	t.Parallel()
	free, pinned := &app.UntrustedError{Rule: config.TrustAny}, &app.UntrustedError{Rule: config.TrustPinned}
	for _, row := range []struct {
		u     *app.UntrustedError
		typed string
		want  app.Answer
		ok    bool
	}{
		{free, "d\n", app.AnswerDirectory, true},
		{free, " Directory \n", app.AnswerDirectory, true},
		{free, "f\n", app.AnswerFiles, true},
		{free, "S\n", app.AnswerSafe, true},
		{free, "q\n", app.AnswerQuit, true},
		{free, "\n", app.AnswerQuit, true},
		{free, "y\n", app.AnswerQuit, false},
		{free, "dd\n", app.AnswerQuit, false},
		{pinned, "d\n", app.AnswerDirectory, false},
		{pinned, "f\n", app.AnswerFiles, true},
	} {
		if got, ok := parseAnswer(row.u, row.typed); ok != row.ok || ok && got != row.want {
			t.Errorf("%q is %v, %v", row.typed, got, ok)
		}
	}
	if strings.Contains(choices(pinned), "this directory") || !strings.Contains(choices(free), "this directory") {
		t.Error("the choices do not follow the user's rule")
	}
}

// TestNoTerminal checks that no question is asked without a terminal.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	if asker(streams{in: strings.NewReader("d\n"), err: &strings.Builder{}}) != nil {
		t.Error("somebody is asked without a terminal")
	}
}
