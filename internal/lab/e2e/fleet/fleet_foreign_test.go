//go:build linux

package fleet

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// listener is a program of another user that took the port of the queue. It records what clients send.
func listener(t *testing.T, address string) (seen chan string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	seen = make(chan string, 1000)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				_, _ = io.WriteString(conn, `INFO {"server_id":"X","version":"2.11.0","proto":1,"headers":true,"max_payload":1048576,"auth_required":true}`+"\r\n")
				var got strings.Builder
				for lines := bufio.NewScanner(conn); lines.Scan() && !strings.HasPrefix(lines.Text(), "PING"); {
					got.WriteString(lines.Text())
				}
				seen <- got.String()
			}()
		}
	}()
	return seen
}

// TestFleetForeignServer ends a server while a worker is connected. Somebody else takes the port and never gets the token: not from the
// worker that comes back, and not from other commands. With --insecure-plaintext they send it.
func TestFleetForeignServer(t *testing.T) {
	t.Parallel()
	for _, plaintext := range []bool{false, true} {
		t.Run(fmt.Sprintf("plaintext %t", plaintext), func(t *testing.T) {
			t.Parallel()
			var flags []string
			if plaintext {
				flags = []string{"--insecure-plaintext"}
			}
			l := newFleetLab(t, fleetScript, flags...)
			data, err := os.ReadFile(filepath.Join(l.dir, "state", "aura", "fleet", "token"))
			if err != nil {
				t.Fatal(err)
			}
			token := strings.TrimSpace(string(data))
			_, lines := l.begin(l.workArgs(append([]string{"--name", "w"}, flags...)...)...)
			for line := range lines {
				if strings.HasPrefix(line, "worker w") {
					break
				}
			}
			if err := l.server.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			where, err := url.Parse(l.url)
			if err != nil {
				t.Fatal(err)
			}
			<-l.serverEnded
			seen := listener(t, where.Host)
			out, err := l.try(append([]string{"fleet", "status"}, flags...)...)
			if err == nil || strings.Contains(out, token) {
				t.Errorf("%v: %s", err, out)
			}
			if !plaintext && !strings.Contains(out, "cannot prove its identity") {
				t.Errorf("the message is %s", out)
			}
			// The command and several attempts of the worker.
			got := ""
			for range 4 {
				select {
				case text := <-seen:
					got += text
				case <-time.After(time.Minute):
					t.Fatal("the worker did not come back")
				}
			}
			if strings.Contains(got, token) != plaintext {
				t.Errorf("the other server got %q", got)
			}
		})
	}
}

// TestFleetArguments looks at the command lines of all processes while a task runs. None has a prompt or the token.
func TestFleetArguments(t *testing.T) {
	t.Parallel()
	const prompt = "a prompt that nobody else may see"
	l := newFleetLab(t, "turns:\n  - {delay: 1h, text: late}\n")
	data, err := os.ReadFile(filepath.Join(l.dir, "state", "aura", "fleet", "token"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(data))
	l.run("fleet", "submit", l.write("args.jsonl", fmt.Sprintf(`{"id":"a","prompts":[%q,%q],"provider":"mine"}`+"\n", prompt, prompt)))
	l.start(l.workArgs("--grace", "0s")...)
	for line := range l.start("fleet", "logs", "args", "a", "--follow", "--json") {
		if strings.Contains(line, `"type":"request"`) {
			break
		}
	}
	children := 0
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		args, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if bytes.Contains(args, []byte("--prompts-file=-")) {
			children++
		}
		if bytes.Contains(args, []byte(prompt)) || bytes.Contains(args, []byte(token)) {
			t.Errorf("%s has %q", path, bytes.ReplaceAll(args, []byte{0}, []byte{' '}))
		}
	}
	if children == 0 {
		t.Error("no task runs")
	}
	out, err := l.try("fleet", "status", "--server", "nats://aura:"+token+"@127.0.0.1:4222")
	if err == nil || !strings.Contains(out, "everybody on this machine can see") || strings.Contains(out, token) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestFleetTakeover stops a worker for longer than the others wait. Its task is taken over; what the first worker has later is not stored.
func TestFleetTakeover(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, "turns:\n  - {delay: 2s, text: first}\n", "--takeover", "2s")
	l.run("fleet", "submit", l.write("late.jsonl", `{"id":"a","prompts":["do it"],"provider":"mine"}`+"\n"))
	first, lines := l.begin(l.workArgs("--name", "first", "--grace", "10s")...)
	for line := range l.start("fleet", "logs", "late", "a", "--follow", "--json") {
		if strings.Contains(line, `"type":"request"`) {
			break
		}
	}
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	l.write(fleetModel, "turns:\n  - {text: second}\n")
	l.drain("--name", "second")
	// It ends by itself when it has seen that the task is not its own any more.
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGCONT} {
		if err := first.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	for range lines { // until the worker has ended
	}
	if r := l.results("late")["a"]; r.Status != "done" || r.Final != "second" || r.Attempt != 2 {
		t.Errorf("got %+v", r)
	}
}
