package cli

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestAnswers parses the answers that users type. If the user's rule is pinned consent, directories cannot be trusted.
func TestAnswers(t *testing.T) {
	t.Parallel()
	free, pinned := &gate.UntrustedError{Rule: config.TrustAny}, &gate.UntrustedError{Rule: config.TrustPinned}
	for _, row := range []struct {
		u     *gate.UntrustedError
		typed string
		want  gate.Answer
		ok    bool
	}{
		{free, "d\n", gate.AnswerDirectory, true},
		{free, " Directory \n", gate.AnswerDirectory, true},
		{free, "f\n", gate.AnswerFiles, true},
		{free, "S\n", gate.AnswerSafe, true},
		{free, "q\n", gate.AnswerQuit, true},
		{free, "\n", gate.AnswerQuit, true},
		{free, "y\n", gate.AnswerQuit, false},
		{free, "dd\n", gate.AnswerQuit, false},
		{pinned, "d\n", gate.AnswerDirectory, false},
		{pinned, "f\n", gate.AnswerFiles, true},
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
