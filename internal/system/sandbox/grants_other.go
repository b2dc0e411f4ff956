//go:build !linux

package sandbox

// enter opens nothing: no process is confined on this system.
func (g *Grants) enter(workdir string) { g.workdir, g.root = workdir, workdir }

// Dir returns the working directory.
func (g *Grants) Dir() string { return g.workdir }

// Open returns the policy unchanged.
func (g *Grants) Open(p Policy) Policy { return p }

// Hide returns the policy unchanged: Check asks its rules about each path.
func (g *Grants) Hide(p Policy) Policy { return p }

// Outdated returns nothing: no process is confined on this system.
func (g *Grants) Outdated(Policy) string { return "" }

func (g *Grants) closeFinders() {}
