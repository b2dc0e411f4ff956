package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// pluginEvents is the kind of the events plugin_call and plugin_state.
const pluginEvents = "plugins"

// eventKinds are the events that come only if --events names them.
var eventKinds = []string{pluginEvents}

func (o *runOptions) registerEvents(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.events, "events", nil, "with --json or --debug, show these `KINDS` of events too: "+strings.Join(eventKinds, ", "))
	complete := cobra.FixedCompletions([]cobra.Completion{
		cobra.CompletionWithDesc(pluginEvents, "calls of plugins, and their states"),
	}, cobra.ShellCompDirectiveNoFileComp)
	// The one error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("events", listOf(complete))
}

// checkEvents refuses kinds that do not exist, and any where events are not shown.
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
