//go:build (darwin || linux || windows) && (amd64 || arm64)

package library

func systemCalls() Table { return symbols_syscall() }
