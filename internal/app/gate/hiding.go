package gate

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/settings/config"
)

// tellHiding names a home that takes the place of one to which the user has agreed.
func (g *Gate) tellHiding(o config.Options, v verdict) {
	if hidden := hiding(o, v.found); hidden != "" && !g.Trust && !v.safe {
		g.Report(fmt.Sprintf("%s takes the place of %s, to which you agreed: remove it if it is not yours, or 'aura trust' it",
			v.found.Home, filepath.Join(hidden, config.DirName)))
	}
}

// hiding returns the project further up in the same repository to which the user has agreed, if a home to which the user has not
// agreed takes the place of its home. A home that holds only text, or nothing, needs no consent, and a tool of an earlier session
// can have made it to get rid of rules.
func hiding(o config.Options, found config.Found) string {
	if found.Home == "" || len(o.Configs) > 0 {
		return ""
	}
	all, err := storeOf(o).All()
	if _, known := all[found.Dir]; err != nil || known {
		return ""
	}
	hidden := ""
	for dir := found.Dir; !present(dir, ".git"); {
		above := filepath.Dir(dir)
		if above == dir || above == o.UserHome {
			return "" // no repository, so no home further up counts
		}
		dir = above
		if _, known := all[dir]; known && hidden == "" && present(dir, config.DirName) {
			hidden = dir
		}
	}
	return hidden
}

func present(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
