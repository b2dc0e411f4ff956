package shared

import (
	"bytes"
	"io"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// TestLaunchSpec sends a launch specification whose fields are all set. The writer stays open, as where the same descriptor is also the lifeline.
func TestLaunchSpec(t *testing.T) {
	t.Parallel()
	want := LaunchSpec{
		Name: "p", Dir: "/p/\xff", Unsafe: true, MemoryBytes: 1 << 40, Processors: 3, SocketDir: "/s", Isolated: true, PrivateMounts: true, Once: true,
		Sandbox: &sandbox.Policy{
			ReadOnly: []string{"/usr"}, ReadWrite: []string{"/w", "/\xfe"}, Exec: true, Limits: sandbox.Limits{MemoryBytes: 5, Processes: 6},
			Uncovered: []string{"a sentence"},
			Opening:   sandbox.Opening{Workdir: "/w", Opened: true, Pinned: []string{"/w", "/\xfe"}, Links: []sandbox.Link{{Path: "/l", Target: "\xfd"}}},
		},
		Tool:    sdk.ToolConfig{HomeDir: "/h", ConfigDir: "/c", DataDir: "/d"},
		Lowered: []byte{0, 1, 255}, Guest: &Guest{Program: "/g", Args: []string{"", "b"}},
	}
	for _, f := range reflect.ValueOf(want).Fields() {
		if f.IsZero() {
			t.Errorf("the test sets no value of type %s", f.Type())
		}
	}
	r, w := io.Pipe()
	sent := make(chan error, 1)
	go func() { sent <- want.Encode(w) }() // the pipe stays open
	got, err := ReadLaunchSpec(r)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	var whole bytes.Buffer
	if err := want.Encode(&whole); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLaunchSpec(bytes.NewReader(whole.Bytes()[:whole.Len()-1])); err == nil {
		t.Error("a specification that ends too early is accepted")
	}
}
