// Package examples holds the test that keeps the example plugins compiling against the SDK of this repository, within
// what the interpreter understands.
package examples
