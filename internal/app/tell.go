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

// once gives a notice once in a session. It may be called from several goroutines.
func (s *Session) once(plugin, text string) {
	if _, told := s.told.LoadOrStore(text, true); !told {
		s.notice(plugin, text)
	}
}

// hidden is an error without secrets.
func (s *Session) hidden(err error) error { return s.secrets.Get().Error(err) }

// tellSandbox reports what settings ask for and is not enforced here.
func (s *Session) tellSandbox(c setup.Confinement) {
	s.tellUncovered(c.Warnings())
	if c.Requested() && !c.Enabled() {
		s.once("", fmt.Sprintf("the sandbox is not enforced on this system: %s; tools and plugins reach all that you do "+
			"(set enabled: false in config/sandbox/sandbox.yaml to accept that silently)", sandbox.Support().Reason()))
	}
}

// tellUncovered reports what confined processes could not be kept from. Tools may run side by side.
func (s *Session) tellUncovered(sentences []string) {
	for _, sentence := range sentences {
		s.once("", "sandbox: "+sentence)
	}
}

// tellPlugins reports what the plugins that run could not be kept from. That a plugin asked for freedom is shown where plugins are.
func (s *Session) tellPlugins() {
	for _, p := range s.plugins.list() {
		exports, known := p.Exports()
		free := known && exports.Tool != nil && !exports.Tool.Sandboxable
		// What the plugin exports may be known before its process is up.
		if free && !p.Spec().Unconfined {
			s.once(p.Name(), fmt.Sprintf("plugin %q: its Sandboxable returns false, which its source does not show, so it was not granted; its files stay confined", p.Name()))
		}
		report := p.Health().Sandbox
		if report == nil {
			continue
		}
		uncovered := report.Uncovered
		if free && p.Spec().Unconfined && len(uncovered) > 0 {
			uncovered = uncovered[1:]
		}
		s.tellUncovered(uncovered)
	}
}

// tellUnmatched reports the names in filters, policies and settings that nothing has, and shell hooks that never work: those of the
// role in force, without those that were reported before unless it is to repeat them.
func (s *Session) tellUnmatched(repeat bool) {
	live := s.live(s.setup, s.plugins.views(), s.servers)
	unmatched := s.setup.Unmatched(s.setup.Role, s.setup.Features, s.setup.EveryTool(live), live.Plugins, s.setup.Installed)
	for _, text := range append(unmatched, s.setup.Hooks().Warnings()...) {
		if _, told := s.told.LoadOrStore(text, true); repeat || !told {
			s.notice("", text)
		}
	}
}

// tellClash reports two commands of one name.
func (s *Session) tellClash(c command.Clash) { s.once("", c.String()) }
