package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

// Index knows where the messages and facts of a journal are, so that a reader follows a long session and reads only what it shows. It holds
// no texts, and no file open between its calls. It belongs to one goroutine.
type Index struct {
	scan scan
	// info is the journal at the last Update; nil before the first.
	info os.FileInfo
	// messages holds the places of the messages of the session.
	messages []span
	facts    []factPlace
	err      error
}

// factPlace is a fact that was not read yet.
type factPlace struct {
	span

	turn int
	kind FactKind
	at   time.Time
}

// NewIndex returns the index of a journal. It knows nothing until Update is called.
func NewIndex(path string) *Index {
	x := &Index{}
	x.reset(path)
	return x
}

func (x *Index) reset(path string) {
	*x = Index{scan: scan{path: path}}
	x.scan.reduce = func(s *Session, r *record) {
		var written time.Time
		if r.Message != nil {
			written = r.Message.CreatedAt
		}
		light(s, r)
		if r.Message != nil {
			r.Message.CreatedAt = written
		}
	}
	x.scan.fact, x.scan.added = x.addFact, x.addRecord
}

func (x *Index) addFact(line []byte, at span) error {
	var r struct {
		Fact struct {
			At   time.Time `json:"at"`
			Turn int       `json:"turn"`
			Kind FactKind  `json:"kind"`
		} `json:"fact"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("damaged record: %w", err)
	}
	x.facts = append(x.facts, factPlace{span: at, turn: r.Fact.Turn, kind: r.Fact.Kind, at: r.Fact.At})
	return nil
}

// addRecord follows what a record did to the messages.
func (x *Index) addRecord(r *record, at span) {
	switch {
	case r.Message != nil:
		x.messages = append(x.messages, at)
	case r.Compaction != nil:
		x.messages = append([]span{at}, x.messages[len(x.messages)-r.Compaction.Kept:]...)
	case r.Rewind != nil:
		x.messages = x.messages[:r.Rewind.Keep]
	}
}

// Update reads what was added to the journal, and reports whether that is anything. After an error, the next Update begins anew once the
// journal has changed.
func (x *Index) Update() (changed bool, err error) {
	// Most journals of a list do not change, and are not opened.
	if info, err := os.Lstat(x.scan.path); err == nil && x.info != nil && os.SameFile(x.info, info) && same(x.info, info) {
		return false, x.err
	}
	file, err := files.OpenNoFollow(x.scan.path, os.O_RDONLY, 0)
	if err != nil {
		return true, fmt.Errorf("reading journal: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return true, fmt.Errorf("reading journal: %w", err)
	}
	switch {
	case x.info == nil:
	case !os.SameFile(x.info, info), x.err != nil && !same(x.info, info), info.Size() < x.scan.size:
		x.reset(x.scan.path)
	}
	x.info = info
	if err := x.scan.read(io.NewSectionReader(file, x.scan.size, info.Size()-x.scan.size)); err != nil {
		x.err = fmt.Errorf("reading journal: %w", err)
	}
	return true, x.err
}

// same reports whether a file was not written to between two looks.
func same(before, now os.FileInfo) bool {
	return before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// Summary returns what Summarize returns for the journal as it was at the last Update.
func (x *Index) Summary() Summary { return summaryOf(x.scan.path, x.scan.s, x.err) }

// Len returns the number of messages.
func (x *Index) Len() int { return len(x.messages) }

// Version changes whenever the journal does.
func (x *Index) Version() string {
	if x.info == nil {
		return ""
	}
	return fmt.Sprint(x.info.Size(), " ", x.info.ModTime().UnixNano())
}

// Messages reads the messages from one number up to another, without the bytes of their files: Part.Data is nil.
func (x *Index) Messages(from, to int) ([]llm.Message, error) {
	var out []llm.Message
	err := x.each(x.messages[from:to], func(r record) error {
		if r.Compaction != nil {
			out = append(out, r.Compaction.Summary)
			return nil
		}
		if r.Message == nil {
			return errors.New("a message is no longer where it was")
		}
		m := fromRecord(r.Message)
		for _, ref := range r.Message.Parts {
			m.Parts = append(m.Parts, llm.Part{Name: ref.Name, Type: ref.Type})
		}
		out = append(out, m)
		return nil
	})
	return out, err
}

// Turns returns the numbers of the first and the last turn that facts belong to; zero if there are no facts.
func (x *Index) Turns() (first, last int) {
	for i, f := range x.facts {
		if i == 0 || f.turn < first {
			first = f.turn
		}
		last = max(last, f.turn)
	}
	return first, last
}

// TurnOf returns the number of the last model call that began at a time or before; 0 if there is none.
func (x *Index) TurnOf(t time.Time) int {
	turn := 0
	for _, f := range x.facts {
		if f.kind == FactTurn && !f.at.After(t) {
			turn = max(turn, f.turn)
		}
	}
	return turn
}

// maxFactsRead is how many facts one call reads at most, so that a page about a very long turn stays small.
const maxFactsRead = 2000

// Facts reads the facts of the turns from one number to another, both included. left is how many are left out because there are too many.
func (x *Index) Facts(first, last int) (out []Fact, left int, err error) {
	var places []span
	for _, f := range x.facts {
		if f.turn >= first && f.turn <= last {
			places = append(places, f.span)
		}
	}
	return x.readFacts(places)
}

// Last reads the last facts of some kinds, at most as many as Facts reads. left is how many earlier ones are left out.
func (x *Index) Last(kinds ...FactKind) (out []Fact, left int, err error) {
	var places []span
	for _, f := range x.facts {
		if slices.Contains(kinds, f.kind) {
			places = append(places, f.span)
		}
	}
	return x.readFacts(places)
}

// readFacts reads the last facts at places.
func (x *Index) readFacts(places []span) (out []Fact, left int, err error) {
	left = max(0, len(places)-maxFactsRead)
	err = x.each(places[left:], func(r record) error {
		if r.Fact == nil {
			return errors.New("a fact is no longer where it was")
		}
		out = append(out, *r.Fact)
		return nil
	})
	return out, left, err
}

// each decodes the records at places.
func (x *Index) each(places []span, do func(record) error) error {
	if len(places) == 0 {
		return nil
	}
	file, err := files.OpenNoFollow(x.scan.path, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("reading journal: %w", err)
	}
	defer func() { _ = file.Close() }()
	for _, at := range places {
		line := make([]byte, at.length)
		if _, err = file.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading journal: %w", err)
		}
		r, err := decode(line)
		if err == nil {
			err = do(r)
		}
		if err != nil {
			return fmt.Errorf("reading journal %s: %w", x.scan.path, err)
		}
	}
	return nil
}

// Catalog lists sessions again and again, and reads only what changed since. It belongs to one goroutine.
type Catalog struct {
	known map[string]*Index
}

// List returns what the function List returns.
func (c *Catalog) List(dirs ...string) ([]Summary, error) {
	paths, err := journals(dirs)
	if err != nil {
		return nil, err
	}
	before := c.known
	c.known = make(map[string]*Index, len(paths))
	var out []Summary
	for _, path := range paths {
		x, known := before[path]
		if !known {
			x = NewIndex(path)
		}
		c.known[path] = x
		out = append(out, x.refreshed())
	}
	slices.SortFunc(out, newestFirst)
	return out, nil
}

// Refresh reads what changed in a session that the last List returned. It returns its summary and index; no index if there is no such session.
func (c *Catalog) Refresh(path string) (Summary, *Index) {
	x := c.known[path]
	if x == nil {
		return Summary{}, nil
	}
	return x.refreshed(), x
}

// refreshed returns the summary of what is in the journal now.
func (x *Index) refreshed() Summary {
	if _, err := x.Update(); err != nil {
		x.err = err
	}
	return x.Summary()
}

// Index returns the index of a session that the last List returned; nil if there is none.
func (c *Catalog) Index(path string) *Index { return c.known[path] }
