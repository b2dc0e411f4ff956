package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/redact"
)

const (
	// maxCrashes is how many crashes of a plugin a page shows, the last ones.
	maxCrashes = 20
	// sourceAround is how many lines a page shows before and after the line of a crash, and sourceLimit the largest file that is read for it.
	sourceAround = 5
	sourceLimit  = 1 << 20
	// settingsAge is how old the settings of a plugin may be that a page shows.
	settingsAge = 5 * time.Second
)

// Described is what a plugin's files and settings say about it, and the secrets of its project, which are removed from what is shown.
type Described struct {
	inspect.Plugin

	Secrets *redact.Redactor
}

// rightsModel is what a plugin asks for and what it is granted.
type rightsModel struct {
	Requested, Granted []string
	Fault              string
}

// crashModel is an end of a plugin's process that the plugin caused, with the source at the place that the stack names first.
type crashModel struct {
	ID, Time, Turn, Outcome, Stack string
	// Place is a file of the plugin with a line, and Source the lines around it. Note says why the source is not shown, or that it changed.
	Place, Source, Note string
}

// rightsItems returns the requests and the grants of a plugin, as one item.
func (s *site) rightsItems(of *Described, failed error) ([]item, error) {
	m := &rightsModel{}
	switch {
	case failed != nil:
		m.Fault = "They are not known: " + failed.Error()
	case of == nil:
		m.Fault = "They are not known: the project of the session has no such plugin any more."
	default:
		m.Requested, m.Granted = of.Requested.List(), of.Granted.List()
	}
	return items("plugin-rights", []*rightsModel{cleaned(s.reader.source.Secrets, cleaned(secretsOf(of), m))}, func(*rightsModel) string { return "rights-of" })
}

func secretsOf(of *Described) *redact.Redactor {
	if of == nil {
		return nil
	}
	return of.Secrets
}

// crashItems returns the crashes of a plugin that the journal of its session has, the newest first.
func (s *site) crashItems(p host.Status, of *Described) ([]item, error) {
	var models []*crashModel
	_, err := s.reader.session(p.Session, func(_ inspect.SessionRow, index *session.Index) error {
		facts, _, err := index.Last(session.FactState)
		facts = slices.DeleteFunc(facts, func(f session.Fact) bool { return f.Plugin != p.Name || f.Error == "" })
		for i, f := range slices.Backward(facts) {
			if len(models) == maxCrashes {
				break
			}
			m := &crashModel{ID: fmt.Sprintf("crash-%d", i), Time: clock(f.At), Turn: strconv.Itoa(f.Turn), Outcome: f.Outcome, Stack: f.Error}
			m.addSource(of, f.At)
			models = append(models, cleaned(s.reader.source.Secrets, cleaned(secretsOf(of), m)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return items("plugin-crash", models, func(m *crashModel) string { return m.ID })
}

// described returns what the files and the settings of a plugin say, at most settingsAge old; nil if there is no such plugin.
func (r *reader) described(p host.Status) (*Described, error) {
	if r.source.Describe == nil {
		return nil, nil
	}
	r.describing.Lock()
	defer r.describing.Unlock()
	key := p.Key()
	if last, ok := r.plugin[key]; ok && time.Since(last.at) < settingsAge {
		return last.is, last.err
	}
	is, err := r.source.Describe(p)
	if len(r.plugin) >= keptPages || r.plugin == nil {
		r.plugin = map[string]describedAt{}
	}
	r.plugin[key] = describedAt{time.Now(), is, err}
	return is, err
}

// describedAt is a Described with the time of its reading.
type describedAt struct {
	at  time.Time
	is  *Described
	err error
}

// goPlace matches a place as Go prints it, and pythonPlace as Python does.
var (
	goPlace     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^\s:()"]+\.go):(\d+)`) })
	pythonPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`File "([^"\n]+)", line (\d+)`) })
)

// addSource adds the source at the first place of the stack that is in a file of the plugin. The plugin wrote the stack, so that it may name
// anything: only the plugin's own files are read.
func (m *crashModel) addSource(of *Described, at time.Time) {
	if of == nil {
		return
	}
	name, line := placeIn(m.Stack, of.Files)
	if name == "" {
		return
	}
	m.Place = fmt.Sprintf("%s:%d", name, line)
	dir := of.Dir
	if info, err := os.Lstat(dir); err == nil && info.Mode().IsRegular() {
		dir = filepath.Dir(dir) // an extension that is one file
	}
	root, err := files.OpenRoot(dir)
	if err != nil {
		m.Note = "The file cannot be read: " + err.Error()
		return
	}
	defer func() { _ = root.Close() }()
	raw, err := files.ReadBelow(root, filepath.FromSlash(name), sourceLimit)
	if err != nil {
		m.Note = "The file cannot be read: " + err.Error()
		return
	}
	if info, err := root.Stat(filepath.FromSlash(name)); err == nil && info.ModTime().After(at) {
		m.Note = "The file was changed after this."
	}
	// Secrets are removed from the whole file: one may begin in a line that is not shown.
	m.Source = excerpt(of.Secrets.String(string(raw)), line)
}

// placeIn returns the first place of a stack that is in one of the files, which are relative to the plugin's directory.
func placeIn(stack string, own []string) (file string, line int) {
	best := len(stack)
	for _, form := range []*regexp.Regexp{goPlace(), pythonPlace()} {
		for _, found := range form.FindAllStringSubmatchIndex(stack, -1) {
			path, number := filepath.ToSlash(stack[found[2]:found[3]]), stack[found[4]:found[5]]
			n, err := strconv.Atoi(number)
			name := ownFile(path, own)
			if err == nil && n > 0 && name != "" && found[0] < best {
				best, file, line = found[0], name, n
			}
		}
	}
	return file, line
}

// ownFile returns the plugin's file that a path of a stack means: the longest name that the path ends with.
func ownFile(path string, own []string) string {
	name := ""
	for _, f := range own {
		if (path == f || strings.HasSuffix(path, "/"+f)) && len(f) > len(name) {
			name = f
		}
	}
	return name
}

// excerpt returns the lines around one line of a text, with their numbers and a sign at that line. It returns nothing if there is no such line.
func excerpt(text string, line int) string {
	lines := strings.Split(text, "\n")
	if line > len(lines) {
		return ""
	}
	var out strings.Builder
	for n := max(1, line-sourceAround); n <= min(len(lines), line+sourceAround); n++ {
		sign := " "
		if n == line {
			sign = ">"
		}
		shown, _ := shorten(lines[n-1])
		fmt.Fprintf(&out, "%s %*d  %s\n", sign, len(strconv.Itoa(line+sourceAround)), n, shown)
	}
	return out.String()
}
