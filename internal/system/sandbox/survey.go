package sandbox

import "slices"

// Survey holds what the policies of a place have in common and what takes many system calls to find: where the links of the machine lead. It
// does not depend on the directories of a single process: DataDir, Output, Own, Path and Caches.
type Survey struct{ system, protected, named, exposed, uncovered, configs []string }

// Look returns the survey of the place. A survey must not outlive the moment for which it is made: confined code can replace links.
func (at Place) Look() *Survey {
	s := &Survey{system: at.aroundHome(system)}
	s.protect(at)
	return s
}

// surveyed returns a copy of the place's survey, which the caller may change.
func (at Place) surveyed() Survey {
	if at.Survey == nil {
		return *at.Look()
	}
	s := at.Survey
	return Survey{slices.Clone(s.system), slices.Clone(s.protected), slices.Clone(s.named), slices.Clone(s.exposed), slices.Clone(s.uncovered), s.configs}
}
