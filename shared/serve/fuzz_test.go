package serve

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idelchi/aura/shared"
	"github.com/idelchi/aura/shared/wire"
)

// FuzzFrames sends any bytes after the preface. The server must end the connection when the other side does, and forget all streams.
func FuzzFrames(f *testing.F) {
	var seed bytes.Buffer
	frames := http2.NewFramer(&seed, nil)
	var block bytes.Buffer
	headers := hpack.NewEncoder(&block)
	for _, h := range []hpack.HeaderField{{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: wire.MethodInvoke}, {Name: "grpc-timeout", Value: "1S"}} {
		if err := headers.WriteField(h); err != nil {
			f.Fatal(err)
		}
	}
	f.Add([]byte(nil))
	for _, err := range []error{
		frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1}, http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 14}),
		frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true}),
		frames.WriteDataPadded(1, false, []byte("\x00\x00\x00\x00\x06\x0a\x04load"), make([]byte, 3)),
		frames.WriteWindowUpdate(1, 1000), frames.WriteWindowUpdate(0, 1<<31-1), frames.WritePing(false, [8]byte{}), frames.WriteRSTStream(1, 0),
	} {
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(seed.Bytes()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, theirs := net.Pipe()
		var calls sync.WaitGroup
		c := newConn(ours, func(job func()) { calls.Go(job) }, handler{shared.NewServer(plugin{}, shared.NewRequester())}.serve)
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		go func() {
			_, _ = theirs.Write(append([]byte(http2.ClientPreface), b...))
			_ = theirs.Close()
		}()
		c.run()
		calls.Wait()
		if len(c.streams) != 0 {
			t.Errorf("%d streams are left", len(c.streams))
		}
	})
}

// FuzzPercent checks that the message of a status is printable, and keeps its content.
func FuzzPercent(f *testing.F) {
	f.Add("50 % of ünïcode\n")
	f.Fuzz(func(t *testing.T, text string) {
		encoded := percent(text)
		for _, c := range []byte(encoded) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is encoded as %q", text, encoded)
			}
		}
		if decoded, err := url.PathUnescape(encoded); err != nil || decoded != text {
			t.Fatalf("%q is encoded as %q, and that decoded as %q (%v)", text, encoded, decoded, err)
		}
	})
}
