package host

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/idelchi/aura/sdk"
)

// changes collects the changes of a plugin's state, with their reasons.
type changes struct {
	mu   sync.Mutex
	list []string
}

func (c *changes) add(change StateChange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := string(change.To)
	if change.Reason != nil {
		text += " (" + change.Reason.Error() + ")"
	}
	c.list = append(c.list, text)
}

func (c *changes) has(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(strings.Join(c.list, "\n")+"\n", text+"\n")
}

// TestControl restarts and quarantines a plugin through the socket of its session.
func TestControl(t *testing.T) {
	t.Parallel()
	g := newGround(t, "mirror", mirror)
	var seen changes
	fleet, err := Start(t.Context(), Options{
		Fixed: Fixed{Binary: g.binary, Session: g.session, Workdir: filepath.Join(g.base, "work")}, Observer: Observer{OnState: seen.add},
	}, []Spec{{Plugin: g.plugin}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fleet.Close)
	p := fleet.Plugins()[0]
	execute := func(do string) (string, error) {
		return p.Execute(t.Context(), toolOf(p), sdk.Context{}, map[string]any{"do": do})
	}
	status := func() Status {
		t.Helper()
		list := Statuses(filepath.Dir(g.session.dir))
		if len(list) != 1 || list[0].Project != filepath.Join(g.base, "work") || list[0].SessionPid != syscall.Getpid() {
			t.Fatalf("the sessions report %+v", list)
		}
		return list[0]
	}
	if got, err := execute("count"); err != nil || got != "1" {
		t.Fatal(got, err)
	}
	first := status()

	// A restart interrupts the current call.
	failed := make(chan error, 1)
	go func() {
		_, err := execute("hang")
		failed <- err
	}()
	for status().State != StateBusy {
	}
	answer, err := first.Do(t.Context(), ActionRestart)
	if err != nil || answer.State != StateReady || answer.Pid == first.Pid || answer.Pid == 0 {
		t.Fatalf("restarted: %+v, %v", answer, err)
	}
	if err := <-failed; err == nil || Reason(err).Error() != restartedByUser {
		t.Errorf("the interrupted call returned %v", err)
	}
	if err := syscall.Kill(first.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the old process: %v", err)
	}
	if got, err := execute("count"); err != nil || got != "1" {
		t.Errorf("after the restart: %q, %v", got, err)
	}
	if now := status(); now.Restarts != 1 || now.LastExit != restartedByUser || now.Key() != first.Key() {
		t.Errorf("after the restart: %+v", now)
	}

	// A quarantined plugin is not called, neither in its own child nor in one for a single call.
	if answer, err := first.Do(t.Context(), ActionQuarantine); err != nil || answer != (Answer{State: StateQuarantined}) {
		t.Fatalf("quarantined: %+v, %v", answer, err)
	}
	_, err = execute("count")
	_, once := p.ExecuteUnder(t.Context(), nil, toolOf(p), sdk.Context{}, map[string]any{"do": "count"})
	for _, err := range []error{err, once} {
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindDown || !strings.Contains(err.Error(), quarantinedByUser) {
			t.Errorf("a call while quarantined returned %v", err)
		}
	}
	if now := status(); now.Pid != 0 || now.LastExit != quarantinedByUser {
		t.Errorf("in quarantine: %+v", now)
	}

	// The user can change their mind.
	if answer, err := first.Do(t.Context(), ActionRestart); err != nil || answer.State != StateReady {
		t.Fatalf("restarted after the quarantine: %+v, %v", answer, err)
	}
	if got, err := execute("count"); err != nil || got != "1" {
		t.Errorf("after the quarantine: %q, %v", got, err)
	}
	for _, change := range []string{"restarting (restarted by the user)", "quarantined (quarantined by the user; /reload starts it again)"} {
		if !seen.has(change) {
			t.Errorf("no change %q in %q", change, seen.list)
		}
	}

	other := first
	other.Name = "none"
	if _, err := other.Do(t.Context(), ActionRestart); err == nil || err.Error() != `the session has no plugin "none"` {
		t.Errorf("another plugin: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := first.Do(cancelled, ActionRestart); err == nil {
		t.Error("a cancelled request was answered")
	}
	fleet.Close()
	if _, err := first.Do(t.Context(), ActionRestart); err == nil || err.Error() != errEnding.Error() {
		t.Errorf("a session that ends: %v", err)
	}
}

// TestControlUnread sends a session requests that it must not carry out.
func TestControlUnread(t *testing.T) {
	t.Parallel()
	s, err := OpenSession(shortDir(t), "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.publish(reporting{})
	for text, want := range map[string]string{
		`{"action":"restart","plugin":"p"}`:              "it only reports",
		`{"action":"stop","plugin":"p"}`:                 `there is no action`,
		`{"action":"restart","plugin":"p","force":true}`: "unknown field",
		`[]`: "reading the request",
		`{"plugin":"` + strings.Repeat("x", maxOrder) + `"}`: "unexpected EOF",
	} {
		conn, err := net.Dial("unix", controlPath(s.dir))
		if err != nil {
			t.Fatal(err)
		}
		// The session may answer and close before it has read everything.
		_, _ = conn.Write([]byte(text))
		answer := make([]byte, maxOrder)
		n, _ := conn.Read(answer)
		if !strings.Contains(string(answer[:n]), want) {
			t.Errorf("%.60s: answered %q, want %q", text, answer[:n], want)
		}
		_ = conn.Close()
	}
}

func TestOtherUsersAreNotObeyed(t *testing.T) {
	t.Parallel()
	if err := ourOwn(1000, 1000); err != nil {
		t.Error(err)
	}
	if ourOwn(1001, 1000) == nil || ourOwn(0, 1000) == nil || ourOwn(1000, 0) == nil {
		t.Error("another user is obeyed")
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(`{"action":"restart","plugin":"p"}`)
	f.Add(`{"action":"quarantine"}`)
	f.Add(`{"action":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		o, err := decodeOrder(strings.NewReader(text))
		if err == nil && o.Action != ActionRestart && o.Action != ActionQuarantine {
			t.Errorf("read %+v", o)
		}
	})
}
