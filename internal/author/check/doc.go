// Package check finds problems in a plugin's directory without running the plugin: an invalid manifest, functions of the wrong
// type, imports that are not available, and Go code that the interpreter refuses, crashes on or silently gets wrong.
package check
