// Package stray ends processes that got away from whoever started them. Process groups and sessions can be left, and a parent may
// die before its children; the environment that a program was started with stays readable for its whole life.
package stray

import "crypto/rand"

// Mark is an entry for the environment of a process, as name=value, by which it and all that inherit it are known. No two are
// the same.
func Mark(name string) string { return name + "=" + rand.Text() }
