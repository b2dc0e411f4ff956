package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

const (
	// pluginEvents is the kind of the events plugin_call, plugin_state and plugin_log.
	pluginEvents = "plugins"
	// waitingEvents is the kind of the event waiting.
	waitingEvents = "waiting"
)

// eventKinds lists the kinds of events that are shown only if --events names them.
var eventKinds = []string{pluginEvents, waitingEvents}

func (o *runOptions) registerEvents(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.events, "events", nil, "with --json or --debug, show these `KINDS` of events too: "+strings.Join(eventKinds, ", "))
	complete := cobra.FixedCompletions([]cobra.Completion{
		cobra.CompletionWithDesc(pluginEvents, "calls of plugins, their states and their logs"),
		cobra.CompletionWithDesc(waitingEvents, "what the session waits for"),
	}, cobra.ShellCompDirectiveNoFileComp)
	// The only possible error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("events", listOf(complete))
}

// checkEvents refuses unknown kinds of events. It also refuses --events if the output does not show events.
func (o *runOptions) checkEvents(debug bool) error {
	for _, kind := range o.events {
		if !slices.Contains(eventKinds, kind) {
			return usageError{fmt.Errorf("--events %q: there is no such kind of events; known kinds: %s", kind, strings.Join(eventKinds, ", "))}
		}
	}
	if len(o.events) > 0 && !o.json && !debug {
		return usageError{errors.New("--events needs --json or --debug: other output does not show these events")}
	}
	return nil
}

// listed reports whether an event is shown by default or was requested with --events. Plugin events that were not requested are
// not even created.
func (o *runOptions) listed(e event.Event) bool {
	_, ok := e.(event.Waiting)
	return !ok || slices.Contains(o.events, waitingEvents)
}
