// Command aura is a terminal coding agent whose plugins cannot crash it.
package main

import (
	"os"

	"github.com/idelchi/aura/internal/cli"
)

func main() { os.Exit(cli.Main()) }
