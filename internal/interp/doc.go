// Package interp turns a plugin's source into callable functions. It alone knows the interpreter (Yaegi).
//
// Loading reads the source once, checks what can be checked without running anything, presents the source with its repairs to the
// interpreter as a GOPATH that exists in memory only, evaluates it, and binds the functions it exports. Nothing is written to disk.
//
// Errors of loading name files by their whole path, those of calls relative to the plugin's directory. The plugin's own name is
// attached by the caller.
package interp

//go:generate go run ./gen
