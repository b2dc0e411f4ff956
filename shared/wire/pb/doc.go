// Package pb is generated from the envelope in wire.proto. Regenerate it with `make generate`. Package wire encodes the same messages; this
// package is what it is compared with, and what a program in another language would use.
package pb
