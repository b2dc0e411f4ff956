// Command gen writes the command reference and the manual pages from the commands of aura.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/cli"
)

func main() {
	reference := flag.String("reference", "", "file to write the command reference to")
	man := flag.String("man", "", "directory to write a manual page for each command to")
	flag.Parse()
	if err := run(*reference, *man); err != nil {
		log.Fatalf("generating the command reference: %v", err)
	}
}

func run(reference, man string) error {
	all := cli.Describe()
	if reference != "" {
		if err := os.WriteFile(reference, []byte(markdown(all)), 0o644); err != nil { //nolint:gosec // it is part of the source
			return err
		}
	}
	if man == "" {
		return nil
	}
	if err := os.MkdirAll(man, 0o755); err != nil { //nolint:gosec // everybody reads manual pages
		return err
	}
	for name, page := range manual(all, build.Version) {
		if err := os.WriteFile(filepath.Join(man, name), []byte(page), 0o644); err != nil { //nolint:gosec // everybody reads manual pages
			return err
		}
	}
	return nil
}

// flatten returns a command and all its subcommands, in the order of their paths.
func flatten(d cli.Description) []cli.Description {
	out := []cli.Description{d}
	for _, below := range d.Commands {
		out = append(out, flatten(below)...)
	}
	return out
}

// about returns the description of a command.
func about(d cli.Description) string {
	if d.Long != "" {
		return d.Long
	}
	return d.Short + "."
}

// aliases returns the other paths of a command.
func aliases(d cli.Description) string {
	var out []string
	for _, name := range d.Aliases {
		out = append(out, d.Path[:strings.LastIndexByte(d.Path, ' ')+1]+name)
	}
	return strings.Join(out, ", ")
}
