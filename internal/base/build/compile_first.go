//go:build compilefirst

package build

// CompileFirst reports whether this program compiles every plugin in Go before it starts it.
const CompileFirst = true
