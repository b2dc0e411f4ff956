package cli

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestTypedLines checks that the prompts come first, and then the lines of the input as they are, without blank lines.
func TestTypedLines(t *testing.T) {
	t.Parallel()
	next := typedLines(scanned(strings.NewReader("\n \t\n two\n\n/three 3\n!four\nbad \xff\n")), []string{"one", ""})
	var got []string
	for {
		line, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	if want := []string{"one", "", " two", "/three 3", "!four", "bad \uFFFD"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestDevSpinner checks that nothing is waited for after a reload: the user types then, and a spinner would erase the line.
func TestDevSpinner(t *testing.T) {
	t.Parallel()
	r := &devRenderer{textRenderer: newTextRenderer(streams{out: io.Discard, err: io.Discard}), plugin: "p"}
	r.spinner.screen = terminal.NewScreen(io.Discard, io.Discard, nil)
	for _, step := range []struct {
		event event.Event
		waits bool
	}{
		{event.Waiting{For: event.ForPlugins}, true},
		{event.PluginState{Plugin: "p", State: "ready", Previous: "starting"}, true},
		{event.Session{}, false},
		{event.Waiting{For: event.ForPlugins}, true},
		{event.PluginState{Plugin: "p", State: "ready", Previous: "starting"}, true},
		{event.PluginCall{Plugin: "other"}, true},
		{event.Command{Name: "reload", Output: "plugins 1 replaced (p)"}, false},
		{event.Health{Plugin: "p"}, false},
	} {
		if r.Event(step.event); (r.spinner.now != terminal.Activity{}) != step.waits {
			t.Errorf("after %T: %+v", step.event, r.spinner.now)
		}
	}
}
