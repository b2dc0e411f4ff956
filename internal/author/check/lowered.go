package check

import (
	"fmt"
	"io"

	"github.com/idelchi/aura/internal/golang/loader"
)

// Lowered writes the source of the plugin in a directory as the interpreter gets it: the files of its own packages, each after a line with its name.
func Lowered(w io.Writer, dir string, unsafe bool) error {
	source, err := loader.Read(dir, loader.Target{Unsafe: unsafe})
	if err != nil {
		return fmt.Errorf("reading the plugin: %w", err)
	}
	files, err := source.Lower()
	if err != nil {
		return fmt.Errorf("lowering the plugin: %w", err)
	}
	for _, p := range source.Packages {
		if !p.Own {
			continue
		}
		for _, f := range files[p.Path] {
			if _, err := fmt.Fprintf(w, "-- %s --\n%s", f.Name, f.Text); err != nil {
				return fmt.Errorf("writing the lowered source: %w", err)
			}
		}
	}
	return nil
}
