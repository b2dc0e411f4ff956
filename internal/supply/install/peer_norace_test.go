//go:build !race

package install

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// pkt returns a line of git's protocol.
func pkt(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

const hash = "0123456789012345678901234567890123456789"

// TestPeers fetches from servers that send without end, or nothing. It is not parallel, because it measures the memory of the process.
// TestPeerConnections and TestSilentServer watch connections with the race detector.
func TestPeers(t *testing.T) {
	forever := func(w io.Writer, text func(i int) string) {
		for i := 0; ; i++ {
			if _, err := io.WriteString(w, text(i)); err != nil {
				return
			}
		}
	}
	begin := pkt("# service=git-upload-pack\n") + "0000" + pkt(hash+" HEAD\x00ofs-delta side-band-64k\n")
	tests := map[string]struct {
		serve http.HandlerFunc
		fails string
	}{
		"branches without end": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, begin)
			forever(w, func(i int) string { return pkt(fmt.Sprintf("%s refs/heads/b%d\n", hash, i)) })
		}, "its list of branches and tags has more than the limit of 16 MB"},
		"many branches": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, begin)
			for i := range MaxRefs {
				_, _ = io.WriteString(w, pkt(fmt.Sprintf("%s refs/heads/b%d\n", hash, i)))
			}
			_, _ = io.WriteString(w, pkt(hash+" refs/heads/last\n")+"0000")
		}, "the server lists more than the limit of 100000 branches and tags"},
		"progress without end": {func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, begin+pkt(hash+" refs/heads/main\n")+"0000")
				return
			}
			_, _ = io.WriteString(w, pkt("NAK\n"))
			line := pkt("\x02" + strings.Repeat("x", 32<<10))
			forever(w, func(int) string { return line })
		}, "what it sends has more than the limit of 256 MB"},
		"redirects without end": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"?again="+r.URL.RawQuery, http.StatusFound)
		}, "redirects without end"},
		"a header without end": {func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 32<<10))
			}
		}, "server response headers exceeded"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(tt.serve)
			t.Cleanup(web.Close)
			t.Cleanup(web.CloseClientConnections)
			s, err := parseSource(web.URL+"/x.git", t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = fetch(t.Context(), s, "", t.TempDir(), Options{})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %v", err)
			}
			if grown := (int64(after.Sys) - int64(before.Sys)) >> 20; grown > 300 { //nolint:gosec // it is less than the memory of the machine
				t.Errorf("the memory grew by %d MiB", grown)
			}
		})
	}
}
