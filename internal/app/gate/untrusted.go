package gate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// UntrustedError reports a project whose files request more than text and to which the user has not agreed. Nothing of the
// project was started.
type UntrustedError struct {
	// Dir is the project's directory with links resolved. Base is the same directory by the path that the user took.
	Dir, Base string
	// found holds the files of the project.
	found config.Found
	// Requests holds what the files request.
	Requests []trust.Request
	// Ruled says what the policy of the machine changes of the project, whether the user agrees or not.
	Ruled []string
	// Change holds the differences to the files that the user agreed to. New holds the requests that those files did not make.
	Change trust.Change
	New    []trust.Request
	// Missing holds the sources that were added after the user agreed to the directory.
	Missing []string
	// Moved holds the sources that are links and lead elsewhere than when the user agreed to the directory.
	Moved []string
	// Rule is the user's rule for consent.
	Rule config.TrustRule
	// Fault is why the configuration cannot be read. Store is why the consents cannot be read. Both are nil if there is no error.
	Fault, Store error
}

// QuitError says that the user chose to start nothing.
type QuitError struct{ Dir string }

func (e *QuitError) Error() string {
	return e.Dir + " is not trusted, and nothing was started"
}

// shownRequests is how many requests of each kind a message lists. The limit is per kind, so that many requests of one kind
// cannot hide those of another.
const shownRequests = 8

// Error lists what the project requests, and what the user can do.
func (e *UntrustedError) Error() string {
	next := "Read it"
	if e.Fault != nil {
		next = "Correct the file"
	}
	return e.Summary() + `
Nothing of it was started. ` + next + `, then choose:
  aura trust     trust this directory from now on; --pinned trusts these files as they are
  --trust        trust it for this run (or AURA_TRUST=1)
  --safe         run without it, with your own configuration only`
}

// Notice returns one line for listings.
func (e *UntrustedError) Notice() string {
	text := fmt.Sprintf("%s is not trusted, so nothing in it is started or takes effect; 'aura trust --show' lists what it asks for, 'aura trust' trusts it",
		oneLine(e.Dir))
	if e.Store != nil {
		text += "; " + oneLine(e.Store.Error())
	}
	if e.Fault != nil {
		text = fmt.Sprintf("a file of %s is broken, so nothing in it is started or takes effect: %s", oneLine(e.Dir), oneLine(e.Fault.Error()))
	}
	return text
}

// Summary says why the project is not trusted and what it requests.
func (e *UntrustedError) Summary() string {
	var b strings.Builder
	if e.Fault != nil {
		b.WriteString("a file of " + oneLine(e.Dir) + " is broken: " + oneLine(e.Fault.Error()) + "\nUntil it is corrected, nobody knows what the files ask for. ")
	}
	b.WriteString(oneLine(e.Dir) + " is not trusted")
	switch {
	case e.Store != nil:
		b.WriteString(": " + oneLine(e.Store.Error()))
	case !e.Change.Empty():
		b.WriteString(": files that you agreed to are different now: " + oneLine(e.Change.String()))
	case len(e.Missing) > 0:
		b.WriteString(": since you agreed to it there is also " + oneLine(strings.Join(e.Missing, ", ")))
	case len(e.Moved) > 0:
		b.WriteString(": this is a link that leads elsewhere since you agreed to it: " + oneLine(strings.Join(e.Moved, ", ")))
	case e.Rule == config.TrustPinned:
		b.WriteString(" (your features set trust: pinned, so consent is for the current files)")
	}
	if len(e.New) > 0 {
		b.WriteString("\nNew is:")
		e.lines(&b, e.New)
	}
	known := e.Requests
	if e.Fault != nil {
		// The other files are not at fault.
		known = slices.DeleteFunc(slices.Clone(known), func(r trust.Request) bool { return r.Kind == trust.KindUnknown })
	}
	if len(known) > 0 {
		b.WriteString("\nIts files ask for more than text:")
		e.lines(&b, known)
	}
	for i, text := range e.Ruled {
		if i == 0 {
			b.WriteString("\nThe policy of this machine applies, also with your consent:")
		}
		if i == shownRequests {
			fmt.Fprintf(&b, "\n  and %d more: 'aura trust --show' lists all", len(e.Ruled)-i)
			break
		}
		b.WriteString("\n  " + oneLine(text))
	}
	return b.String()
}

func (e *UntrustedError) lines(b *strings.Builder, list []trust.Request) {
	count := map[trust.Kind]int{}
	for i, r := range list {
		if count[r.Kind]++; count[r.Kind] > shownRequests {
			if i+1 == len(list) || list[i+1].Kind != r.Kind {
				fmt.Fprintf(b, "\n  and %d more of kind %s: 'aura trust --show' lists all", count[r.Kind]-shownRequests, r.Kind)
			}
			continue
		}
		file := r.File
		if rel, err := filepath.Rel(e.Base, file); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
		if r.Line > 0 {
			file = fmt.Sprintf("%s:%d", file, r.Line)
		}
		fmt.Fprintf(b, "\n  %s %s (%s): %s", r.Kind, oneLine(r.Name), oneLine(file), oneLine(r.Shown()))
	}
}

// maxField is how much of a text from a file a message repeats, in runes.
const maxField = 300

// oneLine keeps text from a file from imitating further lines of a message.
func oneLine(text string) string {
	text = plaintext.OneLine(text)
	if runes := []rune(text); len(runes) > maxField {
		return string(runes[:maxField]) + "…"
	}
	return text
}
