// Command aura-tool-host runs one tool call or one shell command for aura. aura starts it; it is of no use by itself.
package main

import (
	"fmt"
	"os"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/agent/web/charsets"
	"github.com/idelchi/aura/internal/base/build"
)

// exitUsage is the exit status for wrong arguments.
const exitUsage = 2

func main() {
	if status, asked := toolhost.Main(os.Args, charsets.Decode); asked {
		os.Exit(status)
	}
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(toolhost.Name+" version", build.Read())
		return
	}
	fmt.Fprintln(os.Stderr, toolhost.Name+" runs tool calls and shell commands for aura, which starts it. Run aura instead. If aura started it, install the programs from the same release.")
	os.Exit(exitUsage)
}
