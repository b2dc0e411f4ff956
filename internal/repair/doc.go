// Package repair knows which constructs of Go the interpreter gets wrong and how the source is to be written instead. Whoever
// loads a plugin applies the edits; whoever judges a plugin without loading it asks them what they repair. So the two agree.
//
// The package looks at syntax alone, one file at a time: types would cost more time than all the rest of loading a plugin. It does not know
// the interpreter itself.
package repair
