package app

import (
	"fmt"

	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/setup"
)

func (s *Session) notice(plugin, text string) {
	s.events.send(event.Notice{Plugin: plugin, Text: text})
}

// once shows a notice once per session. It may be called from several goroutines.
func (s *Session) once(plugin, text string) {
	if _, told := s.told.LoadOrStore(text, true); !told {
		s.notice(plugin, text)
	}
}

// hidden returns an error without secrets.
func (s *Session) hidden(err error) error { return s.secrets.Get().Error(err) }

// tellSandbox reports which sandbox settings are not enforced on this system.
func (s *Session) tellSandbox(c setup.Confinement) {
	s.tellUncovered(c.Warnings())
	if c.Requested() && !c.Enabled() {
		s.once("", fmt.Sprintf("the sandbox is not enforced on this system: %s; tools and plugins reach all that you do "+
			"(set sandbox: {enabled: false} in config/sandbox/sandbox.yaml to accept that silently)", sandbox.Support().Reason()))
	}
}

// tellUncovered reports what the sandbox could not prevent in confined processes. It may be called from several goroutines,
// because tools may run concurrently.
func (s *Session) tellUncovered(sentences []string) {
	for _, sentence := range sentences {
		s.once("", "sandbox: "+sentence)
	}
}

// tellFound reports which plugins replace others, and which are not available.
func (s *Session) tellFound() {
	for _, text := range s.setup.Notices {
		s.once("", text)
	}
}

// tellPlugins reports what the sandbox could not prevent in the running plugins. It does not report that a plugin requested to
// be unconfined; the list of plugins shows that.
func (s *Session) tellPlugins() {
	for _, p := range s.plugins.list() {
		exports, known := p.Exports()
		free := known && !exports.Sandboxable()
		// The exports of a plugin may be known before its process is running.
		if free && !p.Spec().Unconfined {
			s.once(p.Name(), fmt.Sprintf("plugin %q: its Sandboxable returns false, which its source does not show, so it was not granted; its files stay confined", p.Name()))
		}
		report := p.Health().Sandbox
		if report == nil {
			continue
		}
		if report.Confined && !report.Mounts {
			s.opts.gate().expose()
		}
		uncovered := report.Uncovered
		if free && p.Spec().Unconfined && len(uncovered) > 0 {
			uncovered = uncovered[1:]
		}
		s.tellUncovered(uncovered)
	}
}

// tellUnmatched reports the names in filters, policies and settings that match nothing, and shell hooks that never work. It
// reports those of the current role. It omits what was reported before, unless repeat is set.
func (s *Session) tellUnmatched(repeat bool) {
	live := s.live(s.setup, s.plugins.views(), s.servers)
	unmatched := s.setup.Unmatched(s.setup.Role, s.setup.Features, s.setup.EveryTool(live), live.Plugins, s.setup.Installed)
	for _, text := range append(unmatched, s.setup.Hooks().Warnings()...) {
		if _, told := s.told.LoadOrStore(text, true); repeat || !told {
			s.notice("", text)
		}
	}
}

// tellClash reports two commands with the same name.
func (s *Session) tellClash(c command.Clash) { s.once("", c.String()) }
