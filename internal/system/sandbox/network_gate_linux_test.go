package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// refusedGateDeeds are what the gate must not be able to do. Each uses its own files of a directory.
func refusedGateDeeds(dir string) map[string]func() error {
	socket := func(family, kind, protocol int) func() error {
		return func() error {
			return errOf(unix.Socket(family, kind, protocol)) // the process ends soon
		}
	}
	return map[string]func() error{
		"start a program":         func() error { return exec.Command("/bin/true").Run() },
		"read a file of the user": func() error { return errOf(os.ReadFile(filepath.Join(dir, "read"))) },
		"read /proc":              func() error { return errOf(os.ReadFile("/proc/self/status")) },
		"list a directory":        func() error { return errOf(os.ReadDir(dir)) },
		"change a file":           func() error { return os.WriteFile(filepath.Join(dir, "write"), nil, 0o600) },
		"make a file":             func() error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) },
		"remove a file":           func() error { return os.Remove(filepath.Join(dir, "remove")) },
		"signal its parent":       func() error { return unix.Kill(os.Getppid(), 0) },
		"use memory as a file":    func() error { return errOf(unix.MemfdCreate("x", 0)) },
		"wait for connections":    func() error { return errOf(net.Listen("tcp", "127.0.0.1:0")) },
		"reach a Unix socket":     func() error { return errOf(net.Dial("unix", filepath.Join(dir, "socket"))) },
		"use the packet filter":   socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER),
		"use a vsock":             socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0),
		"pair Unix sockets":       func() error { return errOf(unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)) },
	}
}

func errOf[T any](_ T, err error) error { return err }

// neededGateDeeds are what the gate needs besides dialling, which the other tests need too.
var neededGateDeeds = map[string]func() error{
	"read the hosts of the machine": func() error { return errOf(os.ReadFile("/etc/hosts")) },
	"read the resolver of the machine": func() error {
		if err := errOf(os.ReadFile("/etc/resolv.conf")); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil // the machine has none
	},
	"look up a name of the machine": func() error { return errOf(netgate.Internet().Resolve(context.Background(), "localhost")) },
	"list its addresses": func() error {
		if len(netgate.Internet().Own()) == 0 {
			return errors.New("there are none")
		}
		return nil
	},
}

const gateDeedsArgument = "gate deeds"

func init() {
	stages[gateDeedsArgument] = func() int {
		if os.Args[2] == "confined" {
			if err := sandbox.ConfineGate(); err != nil {
				fmt.Println(err)
				return 1
			}
		}
		done := map[string]bool{}
		for _, deeds := range []map[string]func() error{refusedGateDeeds(os.Args[3]), neededGateDeeds} {
			for name, do := range deeds {
				done[name] = do() == nil
			}
		}
		if json.NewEncoder(os.Stdout).Encode(done) != nil {
			return 1
		}
		return 0
	}
}

// TestNetworkGateConfined does what the gate must not do, confined as the gate and not.
func TestNetworkGateConfined(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, confined := range []bool{true, false} {
		dir := t.TempDir()
		for _, name := range []string{"read", "write", "remove"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l, err := net.Listen("unix", filepath.Join(dir, "socket"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		how := map[bool]string{true: "confined", false: "free"}[confined]
		out, err := exec.Command("/proc/self/exe", gateDeedsArgument, how, dir).Output()
		var done map[string]bool
		if err := errors.Join(err, json.Unmarshal(out, &done)); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for name := range refusedGateDeeds(dir) {
			if ok, tried := done[name]; !tried || ok == confined {
				t.Errorf("%s: %s: done %t, tried %t", how, name, ok, tried)
			}
		}
		for name := range neededGateDeeds {
			if !done[name] {
				t.Errorf("%s: %s: not possible", how, name)
			}
		}
	}
}

// TestNetworkGateProcess checks that the process of the gate is confined.
func TestNetworkGateProcess(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	c.Call.Args, _ = json.Marshal(deed{"read", fmt.Sprintf("p%d.example:80", port)})
	if _, err := sandbox.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Policy.Gate()))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(status), "\n")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in %v", want, lines)
		}
	}
}
