package install

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"golang.org/x/net/proxy"
)

// pkt returns a line of git's protocol.
func pkt(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

const hash = "0123456789012345678901234567890123456789"

// TestPeers fetches from servers that send without end, or nothing. It is not parallel, because it measures the memory of the process.
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

// TestPeerConnections reads from connections as those over ssh, of a server that sends without end or nothing.
func TestPeerConnections(t *testing.T) {
	t.Parallel()
	for fails, text := range map[string]string{
		"its list of branches and tags has more than the limit of 16 MB": strings.Repeat("x", 64<<10),
		"the server sent nothing for 50ms, which is the limit":           "",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			for text != "" && err == nil {
				_, err = io.WriteString(conn, text)
			}
			_, _ = io.Copy(io.Discard, conn)
		}()
		p := newPeer()
		p.silence = 50 * time.Millisecond
		options, release := p.throughProxy()
		defer release()
		at, err := url.Parse(options.URL)
		if err != nil {
			t.Fatal(err)
		}
		dialer, err := proxy.FromURL(at, proxy.Direct)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := dialer.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, conn)
		if err == nil || !strings.Contains(err.Error(), fails) || p.explain(io.EOF).Error() != err.Error() {
			t.Errorf("got %v", err)
		}
		_ = conn.Close()
	}
}

// TestSilentServer fetches from a server that sends one byte and then nothing.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "0")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(web.Close)
	t.Cleanup(web.CloseClientConnections)
	p := newPeer()
	p.silence = 50 * time.Millisecond
	s, err := parseSource(web.URL+"/x.git", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = connect(t.Context(), s, Options{}, p)
	if err = p.explain(err); err == nil || !strings.Contains(err.Error(), "the server sent nothing for 50ms") {
		t.Errorf("got %v", err)
	}
}

// TestManyObjects unpacks a pack that says that it has more objects than are allowed.
func TestManyObjects(t *testing.T) {
	t.Parallel()
	pack := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), MaxObjects+1)
	if err := unpack(bytes.NewReader(pack), nil); err == nil || !strings.Contains(err.Error(), "more than the limit of 500000 objects") {
		t.Errorf("got %v", err)
	}
}

// TestPackedRefs opens a repository on the disk whose list of branches and tags is too long.
func TestPackedRefs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := git.PlainInit(dir, true); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "packed-refs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(MaxRefBytes + 1); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	if _, err := openFile(source{kind: kindFile, dir: dir}, ""); err == nil || !strings.Contains(err.Error(), "more than the limit of 16 MB") {
		t.Errorf("got %v", err)
	}
}
