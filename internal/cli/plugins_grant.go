package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/install"
)

// granting returns a function that asks the user to grant what plugins ask for, if there is a terminal. Without a terminal, the
// command line itself counts as consent, unless an update asks for more than the installed version.
func (o *installOptions) granting(ctx context.Context, s streams, update bool) func([]install.Facts) error {
	return func(list []install.Facts) error {
		what := "asks for"
		if update {
			what = "asks for more than the installed version"
		}
		var told []string
		for _, f := range list {
			told = append(told, fmt.Sprintf("plugin %q %s: %s", f.Name, what, strings.Join(f.Asks.List(), ", ")))
		}
		k, attended := keyboardOf(s)
		switch {
		case o.yes:
			return nil
		case attended:
			for i := range told {
				told[i] = clean(told[i])
			}
			granted, err := k.confirms(ctx, s, told, "Grant it?")
			if err == nil && !granted {
				err = errors.New("its requests were not granted, so nothing was changed")
			}
			return err
		case update:
			return fmt.Errorf("%s; the installed version stays: repeat the command in a terminal, or with --yes to grant it", strings.Join(told, "; "))
		default:
			return nil
		}
	}
}

// writeGranted reports what plugins were granted.
func writeGranted(w io.Writer, list []install.Facts) {
	for _, f := range list {
		if !f.Asks.Empty() {
			fmt.Fprintf(w, "  granted to %s: %s\n", clean(f.Name), asked(f.Asks))
		}
	}
}

// writeAsked reports what plugins would have to be granted.
func writeAsked(w io.Writer, list []install.Facts) {
	for _, f := range list {
		if !f.Asks.Empty() {
			fmt.Fprintf(w, "  %s would ask for: %s\n", clean(f.Name), asked(f.Asks))
		}
	}
}

// asked returns what a plugin asks for or is granted, on one line.
func asked(a manifest.Asks) string { return oneLine(dash(strings.Join(a.List(), ", ")), maxShown) }
