// Command aura-plugin-host is the process that one plugin lives in. aura starts it, tells it on a descriptor what to be, and
// calls it over gRPC; it is of no use to anybody else.
//
// What a plugin does can hurt this process alone: standard output carries nothing but the handshake, all else that is printed
// goes to standard error; memory, stack and core files are limited; and the process ends, with all it started, when aura is
// gone.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
