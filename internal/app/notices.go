package app

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/settings/setup"
)

// notices shows notices to the user of a session. Its methods may be called from any goroutine, because tools and subagents may
// run concurrently.
type notices struct {
	send func(event.Event)
	// shown holds the texts that were already shown. Most notices describe something that lasts, so they are shown once.
	shown sync.Map
	// told holds what was reported about the tools of plugins.
	told setup.Told
}

// show shows a notice.
func (n *notices) show(text string) { n.send(event.Notice{Text: text}) }

// showOf shows a notice about a plugin.
func (n *notices) showOf(plugin, text string) { n.send(event.Notice{Plugin: plugin, Text: text}) }

// once shows a notice, unless the session has already shown it.
func (n *notices) once(text string) {
	if n.first(text) {
		n.show(text)
	}
}

// first reports whether a text is to be shown for the first time, and remembers it.
func (n *notices) first(text string) bool {
	_, shown := n.shown.LoadOrStore(text, true)
	return !shown
}

// setup shows which sandbox settings of a setup are not enforced on this system, which plugins replace others, and which are
// not available.
func (n *notices) setup(of *setup.Setup) {
	for _, text := range slices.Concat(of.Sandbox().Notices(), of.Notices) {
		n.once(text)
	}
	for _, err := range of.Features.Refused() {
		if !slices.Contains(of.Config.Notices, err.Error()) {
			n.once(err.Error())
		}
	}
}

// refusedModel shows that the model of the session comes from the session itself. The user did not name it on this command line.
func (n *notices) refusedModel(of *setup.Setup, named string) {
	if model := of.Role.Model; model != "" && model != named {
		n.show(fmt.Sprintf("the session keeps model %s, which provider %s refuses: choose another one with --model or /model", model, of.ProviderName()))
	}
}

// uncovered shows what the sandbox could not prevent in confined processes.
func (n *notices) uncovered(sentences []string) {
	for _, text := range setup.UncoveredNotices(sentences) {
		n.once(text)
	}
}

// plugins shows what the sandbox could not prevent in running plugins, and why plugins did not load. It does not show that a
// plugin requested to be unconfined; the list of plugins shows that.
func (n *notices) plugins(list []*host.Plugin) {
	for _, p := range list {
		exports, known := p.Exports()
		free := known && !exports.Sandboxable()
		// The exports of a plugin may be known before its process is running.
		if free && !p.Spec().Unconfined {
			text := fmt.Sprintf("plugin %q: its Sandboxable returns false, which its source does not show, so it was not granted; its files stay confined", p.Name())
			if n.first(text) {
				n.showOf(p.Name(), text)
			}
		}
		report := p.Sandbox()
		if report == nil {
			continue
		}
		uncovered := report.Uncovered
		if free && p.Spec().Unconfined && len(uncovered) > 0 {
			uncovered = uncovered[1:]
		}
		n.uncovered(uncovered)
	}
	n.loadFindings(list)
}

// loadFindings shows the findings of the check for plugins whose source did not load. The loader stops at the first error, and
// often there are more.
func (n *notices) loadFindings(list []*host.Plugin) {
	for _, p := range list {
		failure, ok := errors.AsType[*host.Error](p.Down())
		if !ok || failure.Kind != host.KindLoad || p.Spec().Err != nil || p.Spec().Python() {
			continue
		}
		for _, finding := range loadFindings(p.Spec(), failure.Error()) {
			if text := fmt.Sprintf("plugin %q: %s", p.Name(), finding); n.first(text) {
				n.showOf(p.Name(), text)
			}
		}
	}
}

// unmatched shows the names in filters, policies and settings of a setup that match nothing, and shell hooks that never work. It
// shows those of the setup's role. It omits what was shown before, unless repeat is set.
func (n *notices) unmatched(of *setup.Setup, live setup.Live, repeat bool) {
	texts := of.Unmatched(of.Role, of.Features, of.EveryTool(live), live.Plugins, of.Installed)
	for _, text := range append(texts, of.Hooks().Warnings()...) {
		if n.first(text) || repeat {
			n.show(text)
		}
	}
}

// reloaded shows the plugins that a switch reloaded.
func (n *notices) reloaded(done host.Reloaded) {
	if len(done.Replaced)+len(done.Added)+len(done.Removed)+len(done.Stopped)+len(done.Kept) > 0 {
		n.show(summary(done))
	}
}
