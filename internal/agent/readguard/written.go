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

// Written tracks the files that a call changed, starting at the end of the call. It tracks only files whose content at that
// time the model knows. It is not safe for concurrent use.
type Written struct {
	files *Files
	open  []followed
	notes []change
}

// followed is a tracked file, which may be changed again.
type followed struct {
	path, key string
	// mark is the mark of the file in the record.
	mark Mark
}

// change holds the files that were changed or removed by one source. Their paths are in the form for messages.
type change struct {
	by               string
	changed, removed []string
}

// written starts to track the files that a call has changed. It skips files that count as unseen, and returns nil if no file is
// left.
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

// AttributeChanges implements tool.Written. It stops tracking a file that was removed, that became another file, or that was changed by
// an unknown source. The file's guard reports such a change.
func (w *Written) AttributeChanges(by string, quiet bool) {
	did := change{by: by}
	var open []followed
	for _, o := range w.open {
		if w.checkFile(&o, &did) {
			open = append(open, o)
		}
	}
	w.open = open
	if by != "" && !quiet && len(did.changed)+len(did.removed) > 0 {
		w.notes = append(w.notes, did)
	}
}

// checkFile checks one file and reports whether to keep tracking it.
func (w *Written) checkFile(o *followed, did *change) bool {
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

// ChangeNote implements tool.Written.
func (w *Written) ChangeNote() string {
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

// maxNamed is the maximum number of files that the note names per change.
const maxNamed = 5

// named lists the first few files on one line. It quotes names with unprintable characters.
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
