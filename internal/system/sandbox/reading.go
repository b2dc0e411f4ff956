package sandbox

import "slices"

// Reading returns the policy for programs that may only read: they write temporary files, their output and the private layers of caches, and
// have no network. A directory for temporary files that contains something else that was writable, such as the working directory, is replaced
// by the private one by name, because not every system has mounts that could protect what is in it.
func (p Policy) Reading(at Place) Policy {
	scratch := slices.Concat(at.temporary(append([]string{at.temp(), systemTemp}, at.Writable...)...), present(at.Private, at.Output), p.Caches)
	var kept, moved []string
	for _, tree := range p.ReadWrite {
		if slices.Contains(scratch, tree) {
			kept = append(kept, tree)
		} else {
			moved = append(moved, tree)
		}
	}
	around := func(tree string) bool {
		return slices.ContainsFunc(moved, func(path string) bool { return within(resolve(tree), resolve(path)) })
	}
	p.ReadWrite = slices.DeleteFunc(slices.Clone(kept), around)
	p.ReadOnly = slices.Concat(p.ReadOnly, moved, slices.DeleteFunc(kept, func(tree string) bool { return !around(tree) }))
	p.Covers = slices.DeleteFunc(slices.Clone(p.Covers), func(c Cover) bool { return !slices.Contains(p.ReadWrite, c.Path) })
	p.Make = slices.DeleteFunc(slices.Clone(p.Make), func(dir string) bool { return covering(p.ReadWrite, dir) == "" })
	p.Inner = slices.DeleteFunc(slices.Clone(p.Inner), func(dir string) bool { return covering(p.ReadWrite, dir) == "" })
	if dir := at.Private; dir != "" && covering(p.ReadWrite, at.temp()) == "" {
		p.Temp = dir
		p.ReadWrite, p.Make, p.Inner = appendNew(p.ReadWrite, dir), appendNew(p.Make, dir), appendNew(p.Inner, dir)
	}
	p.Network, p.Hosts, p.UnixSockets = false, nil, false
	return p
}
