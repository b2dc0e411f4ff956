package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/lab/testneed"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)

func conversation() []llm.Message {
	return []llm.Message{
		{Role: llm.RoleSystem, Content: "Be <brief> & kind.", CreatedAt: at},
		{Role: llm.RoleUser, Content: "two\nlines\u2028and more", CreatedAt: at},
		{Role: llm.RoleAssistant, Thinking: "hm", CreatedAt: at, ToolCalls: []llm.ToolCall{
			{ID: "call_1", Name: "Ls", Arguments: json.RawMessage(`{"path":"."}`)},
			{ID: "call_2", Name: "Ls", Arguments: json.RawMessage(`{"path":`)},
			{ID: "call_3", Name: "Ls"},
		}},
		{Role: llm.RoleTool, Content: "main.go", ToolCallID: "call_1", ToolName: "Ls", CreatedAt: at},
		{Role: llm.RoleUser, Content: "note", Synthetic: true, CreatedAt: at},
	}
}

func create(t *testing.T) *Journal {
	t.Helper()
	j, err := Create(filepath.Join(t.TempDir(), "home", "sessions"), Meta{
		Version: "0.1.0", Workdir: "w", Agent: "a", Provider: "p", Model: "m", StartedAt: at,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close(End{}) })
	return j
}

func appendAll(t *testing.T, j *Journal, messages []llm.Message) {
	t.Helper()
	for _, m := range messages {
		if err := j.Append(m); err != nil {
			t.Fatal(err)
		}
	}
}

func load(t *testing.T, j *Journal) Session {
	t.Helper()
	s, err := Load(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	j := create(t)
	appendAll(t, j, conversation())
	open := load(t, j)
	if open.End != nil {
		t.Errorf("a journal that is not closed has an end: %+v", open.End)
	}
	if err := j.Close(End{Reason: ReasonDone, Stats: map[string]int{"turns": 2}, At: at}); err != nil {
		t.Fatal(err)
	}
	want := Session{
		Meta: Meta{
			ID: j.ID(), Version: "0.1.0", Workdir: "w", Agent: "a", Provider: "p", Model: "m", StartedAt: at,
		},
		Messages: conversation(),
		End:      &End{Reason: ReasonDone, Stats: map[string]any{"turns": 2.0}, At: at},
	}
	if got := load(t, j); !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
	data, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(data), "\n"); lines != 1+len(want.Messages)+1 {
		t.Errorf("%d lines, want one per record:\n%s", lines, data)
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		testneed.Missing(t, testneed.Unix, "permission bits are not kept here")
	}
	j := create(t)
	for path, want := range map[string]os.FileMode{filepath.Dir(j.Path()): 0o700, j.Path(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestCreateFillsIn(t *testing.T) {
	t.Parallel()
	j, err := Create(t.TempDir(), Meta{ID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(End{Reason: ReasonError}); err != nil {
		t.Fatal(err)
	}
	s := load(t, j)
	if s.Meta.ID == "mine" || s.Meta.ID+Ext != filepath.Base(j.Path()) {
		t.Errorf("id %q of %s", s.Meta.ID, j.Path())
	}
	if s.Meta.StartedAt.IsZero() || s.End.At.IsZero() {
		t.Errorf("times are missing: %+v %+v", s.Meta, s.End)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var ids []string
	for i := range 100 {
		id := newID(at.Add(time.Duration(i) * time.Millisecond))
		if !form.MatchString(id) {
			t.Errorf("%q is not a UUID of version 7", id)
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Error("ids do not sort by time")
	}
	if one, other := newID(at), newID(at); one == other {
		t.Error("two ids of the same moment are the same")
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	j := create(t)
	for range 2 {
		if err := j.Close(End{Reason: ReasonInterrupted}); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	if err := j.Append(llm.Message{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("appending to a closed journal: %v", err)
	}
	if s := load(t, j); s.End == nil || s.End.Reason != ReasonInterrupted || len(s.Messages) != 0 {
		t.Errorf("read back %+v", s)
	}
}

func TestNil(t *testing.T) {
	t.Parallel()
	var j *Journal
	if err := errors.Join(j.Append(llm.Message{}), j.Close(End{}), j.Close(End{})); err != nil {
		t.Error(err)
	}
	if j.ID() != "" || j.Path() != "" {
		t.Errorf("nil journal has id %q, path %q", j.ID(), j.Path())
	}
}

func TestCreateFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sessions")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if j, err := Create(file, Meta{}); err == nil || j != nil {
		t.Errorf("a journal in a file: %v, %v", j, err)
	}
}

func TestUnencodableStats(t *testing.T) {
	t.Parallel()
	j := create(t)
	if err := j.Close(End{Reason: ReasonDone, Stats: func() {}}); err == nil {
		t.Error("stats that JSON cannot hold were accepted")
	}
	if s := load(t, j); s.End != nil || s.Torn {
		t.Errorf("read back %+v", s)
	}
}

// faulty is a disk on which some operations fail once.
type faulty struct {
	disk

	// room is the number of bytes that the next write can write; a negative value means no limit.
	room     int
	sync     error
	truncate error
	log      []string
}

func (f *faulty) WriteAt(p []byte, off int64) (int, error) {
	f.log = append(f.log, "write")
	room := f.room
	f.room = -1
	if room < 0 || room >= len(p) {
		return f.disk.WriteAt(p, off)
	}
	n, err := f.disk.WriteAt(p[:room], off)
	return n, errors.Join(syscall.ENOSPC, err)
}

func (f *faulty) Sync() error {
	f.log = append(f.log, "sync")
	err := f.sync
	f.sync = nil
	return errors.Join(err, f.disk.Sync())
}

func (f *faulty) Truncate(size int64) error {
	f.log = append(f.log, "truncate")
	if err := f.truncate; err != nil {
		f.truncate = nil
		return err
	}
	return f.disk.Truncate(size)
}

func TestDiskFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		fault faulty
		want  error
		// torn is whether a reader sees a torn line between the failure and the next record.
		torn bool
		log  string
	}{
		"no fault":                   {faulty{room: -1}, nil, false, "write sync"},
		"full at once":               {faulty{room: 0}, syscall.ENOSPC, false, "write truncate"},
		"full in a record":           {faulty{room: 9}, syscall.ENOSPC, false, "write truncate"},
		"sync fails":                 {faulty{room: -1, sync: broken}, broken, false, "write sync truncate"},
		"full, repair fails as well": {faulty{room: 60, truncate: broken}, syscall.ENOSPC, true, "write truncate"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := create(t)
			messages := conversation()
			appendAll(t, j, messages[:2])
			fault := tt.fault
			fault.disk = j.file
			j.file = &fault
			if err := j.Append(messages[2]); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got := strings.Join(fault.log, " "); got != tt.log {
				t.Errorf("operations %q, want %q", got, tt.log)
			}
			want := messages[:2]
			if tt.want == nil {
				want = messages[:3]
			}
			s := load(t, j)
			if !reflect.DeepEqual(s.Messages, want) || s.Torn != tt.torn {
				t.Errorf("after the fault: torn %v, %+v", s.Torn, s.Messages)
			}
			// The shortest record must not leave the rest of a longer one after it.
			if err := j.Append(llm.Message{CreatedAt: at}); err != nil {
				t.Fatal(err)
			}
			want = append(slices.Clone(want), llm.Message{CreatedAt: at})
			if s := load(t, j); !reflect.DeepEqual(s.Messages, want) || s.Torn {
				t.Errorf("after the next record: torn %v, %+v", s.Torn, s.Messages)
			}
		})
	}
}
