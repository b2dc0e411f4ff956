//go:build !((darwin || linux || windows) && (amd64 || arm64))

package symtab

// systemCalls is empty: nothing is generated for this system.
func systemCalls() Table { return Table{} }
