package mcp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// floods holds what servers send without end, by the mode of the server.
var floods = map[string]string{
	"flood-notes":    `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 512) + `"}}`,
	"flood-progress": `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
	"flood-changes":  `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	"flood-requests": `{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"data":"` + strings.Repeat("x", 8<<10) + `"}}`,
}

// floodEnds holds the notice about each flood. aura does not always answer requests faster than they arrive.
var floodEnds = map[string][]string{
	"flood-notes":    {"it sent more than 20000 messages in a minute"},
	"flood-progress": {"it sent more than 20000 messages in a minute"},
	"flood-changes":  {"it sent more than 20000 messages in a minute"},
	"flood-requests": {"it has more than 100 requests that are not answered", "it sent more than 20000 messages in a minute"},
}

// growth returns by how much the memory in use grows while f runs, in MiB.
func growth(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return (int(after.Sys) - int(before.Sys)) >> 20 //nolint:gosec // it is less than the memory of the machine
}

// flooded waits for the notice about a flood.
func flooded(t *testing.T, kind string, got *notices) {
	t.Helper()
	eventually(t, "the notice about "+kind, func() bool {
		for _, end := range floodEnds[kind] {
			if strings.Contains(got.all(), "was disconnected: "+end) {
				return true
			}
		}
		return false
	})
}

// floodRows runs one of the floods of a server, and of a service in the stream of its own messages or in that of an answer. A server that sends
// messages without end is disconnected, and the memory stays small. The rows are not parallel, because they measure the memory of the whole
// process.
func floodRows(t *testing.T, kind string, from ...string) {
	t.Helper()
	for _, method := range from {
		t.Run(kind+" "+method, func(t *testing.T) {
			server := Server{}
			if method == "stdio" {
				server = stdio(t, "x", kind)
			} else {
				web := httptest.NewServer(flooding(method, floods[kind]))
				t.Cleanup(web.Close)
				t.Cleanup(web.CloseClientConnections)
				server = Server{Name: "web", URL: web.URL}
			}
			var got notices
			grown := growth(func() {
				set := opened(t, Options{Notify: got.add}, server)
				flooded(t, kind, &got)
				set.Close()
			})
			if grown > 200 {
				t.Errorf("the memory grew by %d MiB", grown)
			}
		})
	}
}

// TestFloods has a flood of requests, which aura answers while it reads, and one of changes, which let it list the tools again. TestOtherFloods has
// the others.
func TestFloods(t *testing.T) {
	testneed.Long(t)
	floodRows(t, "flood-requests", "stdio", http.MethodGet)
	floodRows(t, "flood-changes", "stdio", "tools/list")
}

// flooding returns a service that sends a message without end: in its own stream if method is GET, or instead of an answer.
func flooding(method, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		flood := func() {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				if _, err := fmt.Fprintf(w, "data: %s\n\n", message); err != nil {
					return
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		answer := func(id, result string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}
		var id string
		if _, rest, ok := strings.Cut(string(body), `"id":`); ok {
			id = rest[:strings.IndexAny(rest, ",}")]
		}
		switch {
		case r.Method == http.MethodGet && method == http.MethodGet:
			flood()
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case strings.Contains(string(body), `"method":"`+method+`"`):
			flood()
		case strings.Contains(string(body), `"method":"initialize"`):
			answer(id, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
		case strings.Contains(string(body), `"method":"tools/list"`):
			answer(id, `{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`)
		case id != "" && strings.Contains(string(body), `"method"`):
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`, id)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}
}
