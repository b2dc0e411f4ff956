package process

import "crypto/rand"

// NewMark returns a unique entry for the environment of a process, as name=value. The process, and all processes that inherit
// the entry, can be found by it. A process can leave its group and its session, and a parent may die before its children. But
// the environment that a program was started with stays readable until the program ends.
func NewMark(name string) string { return name + "=" + rand.Text() }
