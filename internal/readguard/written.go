package readguard

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/idelchi/aura/sdk"
)

// Written is the files that a call changed, from its end on. It follows only those that the model knows as the call left them. It is
// used by one goroutine at a time.
type Written struct {
	files *Files
	open  []followed
	notes []change
}

// followed is a file that somebody may change again.
type followed struct {
	path, key string
	// mark is what the record has of the file.
	mark Mark
}

// change is what somebody did to files, which are spelled as messages have them.
type change struct {
	by               string
	changed, removed []string
}

// written follows the files that a call has changed. A file that counts as unseen is not followed; nil if none is.
func (f *Files) written(paths sdk.ToolPaths) *Written {
	w := &Written{files: f}
	for _, path := range paths.Write {
		key, err := resolve(path)
		if err != nil || slices.ContainsFunc(w.open, func(o followed) bool { return o.key == key }) {
			continue
		}
		if mark := f.mark(key); mark != nil {
			w.open = append(w.open, followed{path: path, key: key, mark: *mark})
		}
	}
	if len(w.open) == 0 {
		return nil
	}
	return w
}

// Settle implements tool.Written. A file that was removed, that has become something else, or that nobody is known to have changed
// is not followed any longer; its guard says the rest.
func (w *Written) Settle(by string, quiet bool) {
	did := change{by: by}
	var open []followed
	for _, o := range w.open {
		if w.settle(&o, &did) {
			open = append(open, o)
		}
	}
	w.open = open
	if by != "" && !quiet && len(did.changed)+len(did.removed) > 0 {
		w.notes = append(w.notes, did)
	}
}

// settle looks at one file and reports whether to follow it on.
func (w *Written) settle(o *followed, did *change) bool {
	name := w.files.spelled(o.path)
	if key, err := resolve(o.path); err != nil || key != o.key {
		did.changed = append(did.changed, name)
		return false
	}
	now, err := look(o.key)
	if errors.Is(err, fs.ErrNotExist) {
		did.removed = append(did.removed, name)
		return false
	}
	if err == nil && o.mark.same(now) {
		return true
	}
	did.changed = append(did.changed, name)
	if err != nil || did.by == "" || !w.files.replace(o.key, o.mark, now) {
		return false
	}
	o.mark = now
	return true
}

// Note implements tool.Written.
func (w *Written) Note() string {
	var did []string
	for _, c := range w.notes {
		if len(c.changed) > 0 {
			did = append(did, c.by+" changed "+named(c.changed))
		}
		if len(c.removed) > 0 {
			did = append(did, c.by+" removed "+named(c.removed))
		}
	}
	if len(did) == 0 {
		return ""
	}
	return "[after this call " + strings.Join(did, "; ") + "]"
}

// maxNamed is how many files of a change are named.
const maxNamed = 5

// named lists the first few files on one line. A name may hold anything.
func named(files []string) string {
	var out []string
	for _, name := range files[:min(len(files), maxNamed)] {
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		out = append(out, name)
	}
	list := strings.Join(out, ", ")
	if more := len(files) - maxNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
