// Package library knows the declarations of what plugins import without bringing it along: the SDK, and the part of the standard
// library that the interpreter has. So aura can check the types of a plugin where Go is not installed. Packages of generic
// functions exist as source, because the interpreter gets instances of them.
package library

//go:generate go run ./gen
