// Command aura-plugin-host is the process that one plugin runs in. aura starts it, sends it its launch specification on a
// descriptor, and calls it over gRPC. It has no other use.
//
// A plugin can only harm this process. Standard output carries nothing but the handshake; all other output goes to standard
// error. Memory, stack and core files are limited. The process ends, with all its descendants, when aura is gone.
//
// Limits of a container for processors are not read at each start: aura has read them and says how many processors the plugin may use.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
