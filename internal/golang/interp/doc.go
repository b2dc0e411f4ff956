// Package interp turns a plugin's source into callable functions. It is the only package that uses the interpreter (Yaegi).
//
// Loading reads the source once, performs all checks that do not run code, and presents the lowered source to the interpreter
// as a GOPATH in memory. It then evaluates the source and binds the functions that it exports. Nothing is written to disk.
//
// Load errors name files by their full path; call errors name them relative to the plugin's directory. The caller adds the
// plugin's name.
package interp

//go:generate go run ./gen
