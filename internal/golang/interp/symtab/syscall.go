//go:build (darwin || linux || windows) && (amd64 || arm64)

package symtab

func systemCalls() Table { return symbols_syscall() }
