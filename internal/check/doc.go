// Package check finds in a plugin's directory, without running anything, what would go wrong when the plugin is loaded or
// called: a manifest that is not valid, functions of the wrong type, imports that cannot be had, and Go that the
// interpreter refuses, crashes on or gets wrong without a word.
package check

//go:generate go run ./gen
