// Package lower rewrites the type-checked packages of a plugin as the Go that the interpreter runs correctly.
//
// The output uses little of the language. Constants are written as values with their types. Generic functions and types are
// written out for each list of type arguments. Methods become functions. Types of the plugin that are not structs are replaced
// by what they are made of, and its interfaces by any: a value of such a type that is stored in an interface is put into a box
// that holds the identity of its type (see package box). So the interpreter needs neither methods nor interfaces of its own,
// which it gets wrong, and compiled code sees values by their Go types.
//
// What cannot be rewritten is refused, with its position.
package lower
