package recording

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/shared"
)

// Answers answers what plugins ask in a replay. Its methods are fields of host.Fixed.
type Answers struct {
	mu sync.Mutex
	of map[string]*script
}

// script is what one plugin asked in the call that is repeated now.
type script struct {
	left []host.Ask
	now  time.Time
	rand uint64
	// missing describes what the plugin asks now and did not ask when it was recorded.
	missing []string
}

// NewAnswers returns Answers that know nothing yet.
func NewAnswers() *Answers { return &Answers{of: make(map[string]*script)} }

// begin sets what a plugin is answered from now on.
func (a *Answers) begin(plugin string, asked []host.Ask) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.script(plugin)
	s.left, s.missing = append([]host.Ask{}, asked...), nil
}

// end returns what the plugin asked beyond the recording.
func (a *Answers) end(plugin string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.script(plugin).missing, ", ")
}

func (a *Answers) script(plugin string) *script {
	if a.of[plugin] == nil {
		a.of[plugin] = &script{}
	}
	return a.of[plugin]
}

// next removes the first ask that fits.
func (s *script) next(fits func(host.Ask) bool) (host.Ask, bool) {
	for i, ask := range s.left {
		if fits(ask) {
			s.left = append(s.left[:i:i], s.left[i+1:]...)
			return ask, true
		}
	}
	return host.Ask{}, false
}

func (s *script) miss(what string) {
	if len(s.missing) == 0 || s.missing[len(s.missing)-1] != what {
		s.missing = append(s.missing, what)
	}
}

// Now returns the recorded time. Beyond the recording it returns the last one again.
func (a *Answers) Now(plugin string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.script(plugin)
	if ask, ok := s.next(func(x host.Ask) bool { return x.Now != nil }); ok {
		s.now = *ask.Now
	} else {
		s.miss("the time, more often than recorded")
	}
	return s.now
}

// Rand returns the recorded random number. Beyond the recording it returns the last one again.
func (a *Answers) Rand(plugin string) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.script(plugin)
	if ask, ok := s.next(func(x host.Ask) bool { return x.Rand != nil }); ok {
		s.rand = *ask.Rand
	} else {
		s.miss("a random number, more often than recorded")
	}
	return s.rand
}

// State returns the recorded answer to the same request. A request that was not recorded finds nothing and changes nothing.
func (a *Answers) State(_ context.Context, plugin string, r shared.StateRequest) (shared.StateAnswer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.script(plugin)
	ask, ok := s.next(func(x host.Ask) bool { return x.State != nil && x.State.Request == r })
	switch {
	case !ok:
		s.miss(fmt.Sprintf("state (%s %q)", r.Op, r.Key))
		return shared.StateAnswer{}, nil
	case ask.Err != "":
		return ask.State.Answer, errors.New(ask.Err)
	default:
		return ask.State.Answer, nil
	}
}
