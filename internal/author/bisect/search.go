// Package bisect finds the plugins that cause something: it repeats a recorded conversation with fewer and fewer of them.
package bisect

import (
	"errors"
	"slices"
	"strings"
)

// Test repeats the conversation with some plugins and reports whether it is bad.
type Test func(plugins []string) (bad bool, err error)

// Found is the outcome of a search.
type Found struct {
	// Culprits is a smallest set of plugins that makes the conversation bad: without any of them it is good.
	Culprits []string
	// Steps is how many conversations the search took, without the two that check its premises.
	Steps int
}

// The errors of a search whose premises are wrong.
var (
	ErrNeverBad  = errors.New("the conversation is not bad with all plugins, so there is nothing to search for")
	ErrAlwaysBad = errors.New("the conversation is bad without any plugin, so no plugin causes it")
)

// Search finds the culprits among plugins. One culprit among n is found in log₂ n steps, and one more if the last half was not tested.
// Culprits that only act together take more.
func Search(plugins []string, test Test) (Found, error) {
	s := &search{test: test, known: make(map[string]bool)}
	if bad, err := s.bad(plugins); err != nil || !bad {
		return Found{}, cmpError(err, ErrNeverBad)
	}
	if bad, err := s.bad(nil); err != nil || bad {
		return Found{}, cmpError(err, ErrAlwaysBad)
	}
	s.steps = 0
	single, err := s.single(plugins)
	if err == nil && single == nil {
		single, err = s.together(nil, false, plugins)
	}
	slices.Sort(single)
	return Found{Culprits: single, Steps: s.steps}, err
}

func cmpError(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

type search struct {
	test Test
	// known holds the results of tests by the names of the plugins.
	known map[string]bool
	steps int
}

func (s *search) bad(plugins []string) (bool, error) {
	sorted := slices.Sorted(slices.Values(plugins))
	key := strings.Join(sorted, "\x00")
	if bad, ok := s.known[key]; ok {
		return bad, nil
	}
	s.steps++
	bad, err := s.test(sorted)
	if err == nil {
		s.known[key] = bad
	}
	return bad, err
}

// single assumes that there is one culprit and halves the plugins. It returns nil if the assumption was wrong.
func (s *search) single(plugins []string) ([]string, error) {
	for len(plugins) > 1 {
		half := len(plugins) / 2
		bad, err := s.bad(plugins[:half])
		if err != nil {
			return nil, err
		}
		if bad {
			plugins = plugins[:half]
		} else {
			plugins = plugins[half:]
		}
	}
	bad, err := s.bad(plugins)
	if err != nil || !bad {
		return nil, err
	}
	return slices.Clone(plugins), nil
}

// together returns the smallest part of candidates that makes the conversation bad together with base. If grown is set, base has grown
// since the last test, so it may be enough alone.
func (s *search) together(base []string, grown bool, candidates []string) ([]string, error) {
	if grown {
		if bad, err := s.bad(base); err != nil || bad {
			return nil, err
		}
	}
	if len(candidates) == 1 {
		return slices.Clone(candidates), nil
	}
	half := len(candidates) / 2
	left, right := candidates[:half], candidates[half:]
	fromRight, err := s.together(slices.Concat(base, left), true, right)
	if err != nil {
		return nil, err
	}
	fromLeft, err := s.together(slices.Concat(base, fromRight), len(fromRight) > 0, left)
	return slices.Concat(fromLeft, fromRight), err
}
