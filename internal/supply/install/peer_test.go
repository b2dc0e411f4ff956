package install

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"golang.org/x/net/proxy"
)

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
		if text == "" {
			p.silence = 50 * time.Millisecond
		}
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
