//go:build !compilefirst

package build

// CompileFirst reports whether this program compiles every plugin in Go before it starts it, where that is possible, and asks nobody. The
// end-to-end tests build such an aura to run their scripts with compiled plugins.
const CompileFirst = false
