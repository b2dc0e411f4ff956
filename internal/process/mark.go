package process

import "crypto/rand"

// NewMark is an entry for the environment of a process, as name=value, by which the process and all that inherit the entry are found. No
// two are the same. Process groups and sessions can be left and a parent may die before its children, but the environment that a
// program was started with stays readable for its whole life.
func NewMark(name string) string { return name + "=" + rand.Text() }
