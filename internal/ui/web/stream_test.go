package web_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/ui/web"
)

// change is what a stream says about a box.
type change struct {
	Box   string
	Order []string
	Items []struct{ ID, HTML string }
}

// stream opens the stream of a page and returns a function that reads the next line with changes.
func (w *world) stream(path string) func() []change {
	w.t.Helper()
	q, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, "http://"+w.addr+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	q.Header.Set("Aura-Token", string(w.token))
	q.Header.Set("Accept", "application/x-ndjson")
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: status %d", path, answer.StatusCode)
	}
	lines := bufio.NewReader(answer.Body)
	return func() []change {
		w.t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				w.t.Fatal(err)
			}
			var list []change
			if err := json.Unmarshal([]byte(line), &list); err != nil {
				w.t.Fatalf("%s: %v", line, err)
			}
			if len(list) > 0 {
				return list
			}
		}
	}
}

// follow returns the changes of the first lines of a stream.
func (w *world) follow(path string, lines int) (out []change) {
	next := w.stream(path)
	for range lines {
		out = append(out, next()...)
	}
	return out
}

// TestStream checks that a stream has the new message of a session, and only what changed.
func TestStream(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: "the first"})
	next := w.stream("/sessions/" + j.ID())
	box := func(list []change, name string) change {
		for _, c := range list {
			if c.Box == name {
				return c
			}
		}
		return change{}
	}
	if got := box(next(), "messages"); len(got.Items) != 1 || !strings.Contains(got.Items[0].HTML, "the first") {
		t.Fatalf("the first line: %+v", got)
	}
	if err := j.Append(llm.Message{Role: llm.RoleAssistant, Content: "the **second**"}); err != nil {
		t.Fatal(err)
	}
	for {
		got := box(next(), "messages")
		if got.Box == "" {
			continue // only the state changed
		}
		if strings.Join(got.Order, " ") != "m-0 m-1" || len(got.Items) != 1 || !strings.Contains(got.Items[0].HTML, "the <strong>second</strong>") {
			t.Errorf("after a message: %+v", got)
		}
		break
	}
	if err := j.Rewind(0); err != nil {
		t.Fatal(err)
	}
	for {
		if got := box(next(), "messages"); got.Box != "" {
			if len(got.Order) != 0 {
				t.Errorf("after a return: %+v", got)
			}
			break
		}
	}
}

// TestSparing checks that a plugin whose state changes leads to one update with its row alone, and that nothing is sent of all others.
func TestSparing(t *testing.T) {
	t.Parallel()
	plugins := func(changed ...int) []host.Status {
		list := make([]host.Status, 500)
		for i := range list {
			list[i].Name, list[i].State = fmt.Sprintf("plugin%03d", i), host.StateReady
		}
		for _, i := range changed {
			list[i].State = host.StateQuarantined
		}
		return list
	}
	w := serve(t, false, func(w *world) { w.statuses = plugins() })
	next := w.stream("/plugins")
	if first := next(); len(first) != 2 || len(first[1].Items) != 500 || len(first[1].Order) != 500 {
		t.Fatalf("the first line has %d boxes", len(first))
	}
	for i, changed := range [][]int{{7}, {7, 400}} {
		now := plugins(changed...)
		w.laterStatuses.Store(&now)
		got := next()
		if len(got) != 1 || got[0].Order != nil || len(got[0].Items) != 1 || !strings.Contains(got[0].Items[0].HTML, fmt.Sprintf("plugin%03d<", changed[i])) || len(got[0].Items[0].HTML) > 2000 {
			t.Errorf("after a change of %v: %+v", changed, got)
		}
	}
}

// TestAskedOften checks that the page of a session shows what it does and its new messages although the list of sessions is not read again, and
// that no other session is asked for that.
func TestAskedOften(t *testing.T) {
	t.Parallel()
	w := &world{t: t, dir: t.TempDir()}
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	reports := func(turn int) {
		live, err := json.Marshal(session.Live{ID: j.ID(), State: session.ActivityModel, Turn: turn})
		if err != nil {
			t.Fatal(err)
		}
		w.later.Store(&[]json.RawMessage{[]byte(`{"id":"another"}`), live})
	}
	reports(1)
	source := web.Source{Journals: func() []string { return []string{w.dir} }, Reports: w.reported, Report: w.report, Statuses: func([]host.Status) ([]host.Status, int) { return nil, 0 }}
	rows, err := web.ReadTwice(source, j.ID(), func() {
		reports(2)
		if err := j.Append(llm.Message{Role: llm.RoleAssistant, Content: "an answer"}); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil || len(rows) != 2 || rows[0].Live.Turn != 1 || rows[1].Live.Turn != 2 || rows[0].Messages != 1 || rows[1].Messages != 2 {
		t.Errorf("%v: %+v", err, rows)
	}
	if all, one := w.askedAll.Load(), w.asked.Load(); all != 1 || one != 2 {
		t.Errorf("all sessions were asked %d times, the one with a page %d times", all, one)
	}
}

// TestSlowReaders opens as many streams as there can be, reads none of them, and checks that one more is refused and that pages still come.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	j := w.talk(llm.Message{Role: llm.RoleUser, Content: marker})
	for range 32 {
		w.stream("/sessions/" + j.ID())
	}
	answer, _ := w.do(request{path: "/sessions", headers: map[string]string{"Accept": "application/x-ndjson"}})
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one stream more: status %d", answer.StatusCode)
	}
	if answer, page := w.do(request{path: "/sessions"}); answer.StatusCode != http.StatusOK || !strings.Contains(page, marker) {
		t.Errorf("a page: status %d", answer.StatusCode)
	}
}

// long writes a session with many messages, and returns its address. Writing so many records durably would take long.
func (w *world) long(messages int) string {
	w.t.Helper()
	j := w.talk()
	if err := j.Close(session.End{}); err != nil {
		w.t.Fatal(err)
	}
	journal, err := os.ReadFile(j.Path())
	if err != nil {
		w.t.Fatal(err)
	}
	begin, _, _ := strings.Cut(string(journal), "\n")
	text := begin + "\n" + strings.Repeat(`{"message":{"role":"user","content":"one of many"}}`+"\n", messages)
	if err := os.WriteFile(j.Path(), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return "/sessions/" + j.ID()
}

// TestLongSession reads pages of a session with 10,000 messages, and the last pages of others.
func TestLongSession(t *testing.T) {
	t.Parallel()
	w := serve(t, false, nil)
	address := w.long(10000)
	// The last page keeps what it had when a message begins a further hundred.
	rows := []struct {
		messages, shown int
		pages, address  string
	}{{100, 100, "", ""}, {101, 101, "", ""}, {199, 199, "", ""}, {200, 100, "page 2 of 2", ""}, {10099, 199, "page 100 of 100", ""}, {0, 0, "", ""}}
	for i := range rows {
		rows[i].address = w.long(rows[i].messages)
	}
	for _, page := range []string{"", "?page=1", "?page=57", "?page=100", "?page=9999", "?page=-1", "?page=x"} {
		_, got := w.do(request{path: address + page})
		if n := strings.Count(got, "<article"); n != 100 {
			t.Errorf("%s: %d messages", page, n)
		}
	}
	if _, got := w.do(request{path: address}); !strings.Contains(got, `id="m-9999"`) || !strings.Contains(got, "page 100 of 100") {
		t.Error("without a number, the last page is not shown")
	}
	for _, row := range rows {
		_, got := w.do(request{path: row.address})
		if n := strings.Count(got, "<article"); n != row.shown || !strings.Contains(got, row.pages) || strings.Contains(got, "<nav id=") != (row.pages != "") {
			t.Errorf("of %d messages, the last page has %d, want %d and %q", row.messages, n, row.shown, row.pages)
		}
	}
}

// TestSocketMode checks who can open the socket, and which places are refused.
func TestSocketMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "socket")
	l, err := web.ListenSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := web.ListenSocket(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a socket in use: %v", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := web.ListenSocket(t.Context(), path)
	if err != nil {
		t.Fatalf("a socket that was left behind: %v", err)
	}
	_ = again.Close()
	open := filepath.Join(dir, "open")
	file := filepath.Join(dir, "new", "file")
	if err := errors.Join(os.Mkdir(open, 0o755), os.WriteFile(file, []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{filepath.Join(open, "s"): "others must not enter", file: "there is another file"} {
		if _, err := web.ListenSocket(t.Context(), place); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
	}
}
