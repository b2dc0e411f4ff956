package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// faulty is a collector that answers as a test says.
type faulty struct {
	mu             sync.Mutex
	status         int
	body, location string
}

func (f *faulty) set(status int, body, location string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status, f.body, f.location = status, body, location
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Location", f.location)
	w.WriteHeader(f.status)
	_, _ = io.WriteString(w, f.body)
}

// startCollector returns the address of a collector, and a function that returns the bodies of its records.
func startCollector(t *testing.T) (address string, read func() []string) {
	t.Helper()
	var mu sync.Mutex
	var got []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var request struct {
			ResourceLogs []struct {
				ScopeLogs []struct {
					LogRecords []logRecord `json:"logRecords"`
				} `json:"scopeLogs"`
			} `json:"resourceLogs"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/v1/logs" || r.Header.Get("Content-Type") != "application/json" {
			t.Error(err, r.URL, r.Header)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, record := range request.ResourceLogs[0].ScopeLogs[0].LogRecords {
			got = append(got, record.Body.StringValue)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// received is a syslog.
type received struct {
	conn *net.UnixConn
}

// listen returns the path of its socket, or "" where the system has no such sockets.
func (r *received) listen(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "log") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "log")
	r.conn, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return ""
	}
	t.Cleanup(func() { _ = r.conn.Close() })
	return path
}

func (r *received) all() (out []string) {
	buffer := make([]byte, 64<<10)
	for range Kinds() {
		n, err := r.conn.Read(buffer)
		if err != nil {
			return out
		}
		head, line, _ := strings.Cut(string(buffer[:n]), ": ")
		if strings.HasPrefix(head, "<85>") && strings.HasSuffix(head, fmt.Sprintf("aura[%d]", os.Getpid())) {
			out = append(out, line)
		}
	}
	return out
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
