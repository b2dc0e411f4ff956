// Package examples holds the test that keeps the example plugins compiling against the SDK of this repository, within the
// subset of Go that the interpreter supports.
package examples
