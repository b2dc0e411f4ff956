package app

import (
	"cmp"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/setup"
)

// firstRole is who a session begins with: what the command line says goes before the task, that before what a saved session
// had, and that before the default.
func (s *Session) firstRole(c *config.Config, saved session.Session) (setup.Role, error) {
	var task config.Task
	if s.opts.Task != nil {
		task = *s.opts.Task
	}
	usual, _ := c.DefaultAgent()
	before := s.savedAgent(c, cmp.Or(saved.State.Agent, saved.Meta.Agent))
	mode := cmp.Or(s.opts.Mode, task.Mode)
	resumes := saved.Noted && cmp.Or(s.opts.Agent, task.Agent, before) == before && mode == ""
	if _, ok := c.Modes[saved.State.Mode]; resumes && ok {
		mode = saved.State.Mode
	}
	r, err := setup.FindRole(c, cmp.Or(s.opts.Agent, task.Agent, before, usual.Name), mode)
	if resumes && saved.State.Mode == "" {
		r.Mode = config.Mode{}
	}
	r.Provider, r.Model, r.System, r.Think = s.opts.Provider, s.opts.Model, s.opts.System, s.opts.Think
	return r, err
}

// savedAgent is the agent of a session that is resumed, unless it is gone or another is asked for.
func (s *Session) savedAgent(c *config.Config, name string) string {
	if _, ok := c.Agents[name]; ok || name == "" {
		return name
	}
	if s.opts.Agent == "" {
		s.notice("", "the session's agent "+name+" no longer exists, so the default agent continues")
	}
	return ""
}
