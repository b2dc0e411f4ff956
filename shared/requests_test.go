package shared

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/sdk"
)

// clerk is a Services that records what it is asked.
type clerk struct {
	mu    sync.Mutex
	asked []string
}

func (c *clerk) recordRequest(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, text)
}

func (c *clerk) Emit(_ context.Context, name string, payload []byte) error {
	v, err := DecodePayload(payload)
	if text, ok := v.(string); ok {
		c.recordRequest("emit " + name + " " + text)
	}
	return err
}

func (c *clerk) Listen(_ context.Context, name string) error {
	c.recordRequest("listen " + name)
	return nil
}

func (c *clerk) State(_ context.Context, r StateRequest) (StateAnswer, error) {
	c.recordRequest(string(r.Op) + " " + string(r.Scope) + " " + r.Key + " " + r.Value)
	if r.Key == "bad" {
		return StateAnswer{}, errors.New("not this one")
	}
	return StateAnswer{Value: "v", Found: true, Keys: []string{"a", "b"}}, nil
}

// TestRequests checks that what a plugin asks reaches aura in order, and the answer the plugin, also for requests that are made before
// aura listens.
func TestRequests(t *testing.T) {
	t.Parallel()
	r := NewRequester()
	c := connectWith(t, &fake{}, r)
	var services clerk
	early := make(chan error, 1)
	go func() { early <- r.Listen(t.Context(), "early") }()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx, &services) }()
	if err := <-early; err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "three"} {
		b, err := EncodePayload(text)
		if err == nil {
			err = r.Emit(t.Context(), "n", b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	answer, err := r.State(t.Context(), StateRequest{Op: StateGet, Scope: sdk.ScopeProject, Key: "k"})
	if want := (StateAnswer{Value: "v", Found: true, Keys: []string{"a", "b"}}); err != nil || !reflect.DeepEqual(answer, want) {
		t.Errorf("got %+v, %v", answer, err)
	}
	if _, err := r.State(t.Context(), StateRequest{Op: StateSet, Scope: sdk.ScopeSession, Key: "bad", Value: "x"}); err == nil || err.Error() != "not this one" {
		t.Errorf("got %v", err)
	}
	if now, err := r.Now(t.Context()); err != nil || !now.Equal(time.Unix(7, 0)) {
		t.Errorf("got %v, %v", now, err)
	}
	if n, err := r.Rand(t.Context()); err != nil || n != 7 {
		t.Errorf("got %d, %v", n, err)
	}
	want := []string{"listen early", "emit n one", "emit n two", "emit n three", "get project k ", "set session bad x"}
	if !reflect.DeepEqual(services.asked, want) {
		t.Errorf("got %q", services.asked)
	}
	cancel()
	<-served
	if err := r.Emit(t.Context(), "n", nil); err == nil {
		t.Error("a request without a connection was answered")
	}
}

// TestRequestsSideBySide checks that each of many requests gets its own answer.
func TestRequestsSideBySide(t *testing.T) {
	t.Parallel()
	r := NewRequester()
	c := connectWith(t, &fake{}, r)
	go func() { _ = c.Serve(t.Context(), &echoer{}) }()
	var group sync.WaitGroup
	for _, size := range []int{1, 10, 1000, 60_000} {
		for range 20 {
			group.Go(func() {
				value := strings.Repeat("x", size)
				if got, err := r.State(t.Context(), StateRequest{Op: StateGet, Key: "k", Value: value}); err != nil || got.Value != value {
					t.Errorf("sent %d bytes, got %d, %v", size, len(got.Value), err)
				}
			})
		}
	}
	group.Wait()
}

// echoer returns the value that it is given.
type echoer struct{ clerk }

func (*echoer) State(_ context.Context, r StateRequest) (StateAnswer, error) {
	return StateAnswer{Value: r.Value}, nil
}

func TestPayload(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"nil": nil, "text": "a", "bytes": []byte{1, 2}, "number": 7, "large": 1 << 60, "fraction": 1.5,
		"nested": map[string]any{"l": []any{1, "a", nil, map[string]any{}}, "b": true},
	} {
		b, err := EncodePayload(v)
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := DecodePayload(b); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%s: got %#v, %v", name, got, err)
		}
	}
	cycle := map[string]any{}
	cycle["self"] = cycle
	for name, v := range map[string]any{"large": strings.Repeat("x", sdk.MaxPayload+1), "function": func() {}, "cycle": cycle} {
		if _, err := EncodePayload(v); err == nil || !strings.HasPrefix(err.Error(), "sending an event: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func (*clerk) Now(context.Context) (time.Time, error) { return time.Unix(7, 0), nil }

func (*clerk) Rand(context.Context) (uint64, error) { return 7, nil }

func (*echoer) Now(context.Context) (time.Time, error) { return time.Time{}, nil }

func (*echoer) Rand(context.Context) (uint64, error) { return 0, nil }
