// Package signature verifies the SSH signatures of git's commits and annotated tags against lists of allowed signers in OpenSSH's format, and detached
// signatures of files.
// It opens nothing and starts nothing: lists and objects are given as bytes.
//
// The objects come from a server that nobody trusts, so a signature counts only for exactly the bytes that git's own hash covers.
package signature
