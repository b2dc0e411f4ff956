package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/app/gate"
)

// refuseLinks returns an error if a link leads to one of the paths in the home of a project to which the user has not agreed. Whoever
// wrote the project chose where the link leads.
func refuseLinks(l gate.Listing, home string, paths ...string) error {
	if l.Agreed || home != l.Project || home == l.User {
		return nil
	}
	for _, path := range paths {
		for at := path; at != filepath.Dir(home) && at != filepath.Dir(at); at = filepath.Dir(at) {
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return fmt.Errorf("%s is a link, and you have not agreed to this directory, so nothing is written there: look where it leads, then 'aura trust', or repeat the command with --trust", at)
			}
		}
	}
	return nil
}
