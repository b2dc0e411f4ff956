package planted

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/files"
)

// Watch watches one place for all calls of this process. Several goroutines may use it.
type Watch struct {
	mu    sync.Mutex
	place Place
	scan  *scanner
	// base is what the place contained when it was looked at last, and missing the protected paths that did not exist then.
	base    *snapshot
	missing []string
	// roots lists the missing entries .git that Git, or aura, would use from the working directory.
	roots []string
	// kept holds the protected paths that existed at the beginning: the kernel keeps confined code from changing them, unless exposed
	// is set.
	kept    []string
	exposed bool
	// calls counts the calls that run.
	calls int
	// named holds the paths that were named, and cut is set once the user knows that there is more than was looked at.
	named map[string]bool
	cut   bool
}

// watches holds the watches of this process, so that calls that run at the same time share one.
var watches struct {
	mu  sync.Mutex
	all map[string]*Watch
}

// In returns the watch of a place.
func In(place Place) *Watch {
	key := strings.Join(slices.Concat([]string{place.Store.Dir, place.Workdir}, place.Trees), "\x00")
	watches.mu.Lock()
	defer watches.mu.Unlock()
	w := watches.all[key]
	if w == nil {
		w = &Watch{place: place, scan: newScanner(place.Workdir, place.Trees), named: map[string]bool{}}
		w.kept = slices.DeleteFunc(slices.Clone(place.Protected), func(path string) bool { return !files.Exists(path) })
		if watches.all == nil {
			watches.all = map[string]*Watch{}
		}
		watches.all[key] = w
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place = place // what is protected changes
	return w
}

// Expose records that confined code can write protected paths, because there is no mount namespace.
func (w *Watch) Expose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exposed = true
}

// Begin looks at the place before a call. It returns what appeared while no call ran: the user may have made that, so it is only
// named. Every Begin needs an End.
func (w *Watch) Begin() []Finding {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	if w.calls > 1 {
		return nil // a change since the last look belongs to the call that runs
	}
	first := w.base == nil
	now := w.scan.scan()
	var out []Finding
	if !first {
		for _, f := range w.compare(now) {
			out = w.name(out, Finding{Path: f.path, Why: f.why + ", and it appeared while no tool ran"})
		}
	}
	w.base = now
	w.absent()
	return out
}

// End looks at the place after a call, moves away what may not be there, and returns what it found.
func (w *Watch) End() []Finding {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls--
	now := w.scan.scan()
	var out []Finding
	moved := false
	for _, f := range w.compare(now) {
		if !f.move {
			out = w.name(out, Finding{Path: f.path, Why: f.why})
			continue
		}
		moved = true
		out = append(out, w.remove(f))
	}
	if moved {
		now = w.scan.scan()
	}
	w.base = now
	if now.cut && !w.cut {
		w.cut = true
		out = append(out, Finding{Path: w.place.Workdir, Limit: true, Why: fmt.Sprintf("there are more than %d directories, and aura did not look at the others for repositories", maxDirs)})
	}
	return out
}

// name adds a finding that was not named before.
func (w *Watch) name(list []Finding, f Finding) []Finding {
	if w.named[f.Path] {
		return list
	}
	w.named[f.Path] = true
	return append(list, f)
}

// suspect is a path that must go, or be named.
type suspect struct {
	path, why string
	move      bool
	// before is the file as it was; nil if it did not exist.
	before *control
}

// compare returns what appeared since the last look, in order.
func (w *Watch) compare(now *snapshot) []suspect {
	found := map[string]suspect{}
	w.compareControls(now, found)
	for path, id := range now.marks {
		old, had := w.base.marks[path]
		switch {
		case had && (old == id || slices.Contains(agentDirs, filepath.Base(path))), w.safe(path):
		case !had && effective(w.place.Workdir, path):
			found[path] = suspect{path: path, why: "agents take hooks and settings from there without a question", move: true}
		default:
			found[path] = suspect{path: path, why: "other programs run, or take programs from, what is there"}
		}
	}
	for _, path := range w.missing {
		if leads(path) && w.writable(path) && (!isEmptyDir(path) || !w.place.Created(path)) {
			found[path] = suspect{path: path, why: "it did not exist and so was not protected, and it decides what runs outside of the sandbox", move: true}
		}
	}
	for _, path := range w.roots {
		if files.Exists(path) && found[path].path == "" {
			found[path] = suspect{path: path, why: cmp.Or(w.place.Hides(path), "Git uses this new repository there from now on")}
		}
	}
	paths := slices.Sorted(maps.Keys(found))
	var out []suspect
	for _, path := range paths {
		// What is inside of a directory goes with it.
		if !slices.ContainsFunc(out, func(f suspect) bool { return f.move && within(f.path, path) }) {
			out = append(out, found[path])
		}
	}
	return out
}

// compareControls adds the files that make Git run something that they did not before.
func (w *Watch) compareControls(now *snapshot, found map[string]suspect) {
	before := map[ident]*control{}
	for _, c := range w.base.controls {
		before[c.id] = c
	}
	for _, path := range slices.Sorted(maps.Keys(now.controls)) {
		c := now.controls[path]
		old := w.base.controls[path]
		if len(c.bad) == 0 || w.safe(path) || old != nil && (old.id == c.id || c.data != nil && !adds(old.bad, c.bad)) {
			continue
		}
		// A repository that was renamed has the same files.
		if same := before[c.id]; same != nil && !adds(same.bad, c.bad) {
			continue
		}
		if !w.writable(c.path) || !w.writable(c.unit) {
			continue
		}
		f := suspect{path: c.unit, why: "Git would obey it: " + reason(c), move: true}
		if old != nil && c.unit == path && old.data != nil {
			f.before = old
		}
		found[c.unit] = f
	}
}

// adds reports whether a list contains something that another does not.
func adds(old, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(old, s) })
}

// reason returns what is bad about a file, without the values of settings.
func reason(c *control) string {
	name, _, setting := strings.Cut(c.bad[0], "=")
	if !setting {
		return name
	}
	return fmt.Sprintf("%q is not among the settings that run nothing", name)
}

// safe reports whether confined code cannot have changed a path.
func (w *Watch) safe(path string) bool {
	return !w.exposed && slices.ContainsFunc(w.kept, func(dir string) bool { return within(dir, path) })
}

func (w *Watch) writable(path string) bool {
	return slices.ContainsFunc(w.place.Writable, func(dir string) bool { return within(dir, path) })
}

// absent finds the protected paths that do not exist. Those in Git directories are compared otherwise.
func (w *Watch) absent() {
	w.missing, w.roots = nil, nil
	for _, path := range w.place.Protected {
		switch {
		case leads(path):
		case !slices.Contains(strings.Split(path, string(filepath.Separator)), gitName):
			w.missing = append(w.missing, path)
		case filepath.Base(path) == gitName:
			w.roots = append(w.roots, path)
		}
	}
}

// leads reports whether a path exists and, if it is a link, leads to something.
func leads(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isEmptyDir(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// remove moves a path to the store, and puts its former content back.
func (w *Watch) remove(f suspect) Finding {
	out := Finding{Path: f.path, Why: f.why}
	out.ID, out.Err = w.place.Store.put(f.path, f.why)
	if out.Err == nil && f.before != nil {
		out.Err = putBack(f.path, f.before.data, f.before.id.mode&0o777)
		out.PutBack = out.Err == nil
	}
	return out
}
