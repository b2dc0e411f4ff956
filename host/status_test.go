package host

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestStatusesSince asks a session that answers, one that is silent, and one that has ended. What the silent one had reported stays, marked as
// old, and the one that has ended is left out.
func TestStatusesSince(t *testing.T) {
	t.Parallel()
	base, err := os.MkdirTemp("", "aura") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	open := func(name string, serve func(net.Conn)) (place string, listener net.Listener) {
		place = filepath.Join(base, "s-"+name)
		if err := os.MkdirAll(place, 0o700); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", filepath.Join(place, "status"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				t.Cleanup(func() { _ = conn.Close() })
				serve(conn)
			}
		}()
		return place, listener
	}
	var one Status
	one.Name, one.Calls = "mine", 7
	open("answers", func(conn net.Conn) { _ = json.NewEncoder(conn).Encode([]Status{one}) })
	silent, _ := open("silent", func(net.Conn) {})
	ended, listener := open("ended", func(net.Conn) {})
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = listener.Close()
	var before []Status
	for _, place := range []string{silent, ended} {
		old := one
		old.place, old.Calls = place, 3
		before = append(before, old)
	}
	list, late := StatusesSince(before, base)
	if late != 1 || len(list) != 2 || list[0].Calls != 7 || list[0].Unanswered() || list[1].Calls != 3 || !list[1].Unanswered() || list[1].place != silent {
		t.Errorf("%d silent sessions: %+v", late, list)
	}
	if list, late = StatusesSince(nil, base); late != 1 || len(list) != 1 {
		t.Errorf("%d silent sessions without earlier statuses: %+v", late, list)
	}
}
