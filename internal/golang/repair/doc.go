// Package repair finds the Go constructs that the interpreter gets wrong and rewrites them. The loader of plugins applies the
// edits. The checker, which judges a plugin without loading it, asks the edits what they repair. So the loader and the checker
// agree.
//
// The package looks at syntax only, one file at a time: type checking would take longer than all other steps of loading a
// plugin. The package does not import the interpreter.
package repair
