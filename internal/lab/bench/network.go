package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/lab"
	"github.com/idelchi/aura/internal/system/sandbox"
)

const (
	// clientArgument and proxyArgument make this program a client that a confined command starts, and a plain proxy.
	clientArgument, proxyArgument = "network-client", "network-proxy"
	// connectionsEach is how many connections a client makes, one after the other, and streamSize how many bytes it then receives on one.
	connectionsEach = 300
	streamSize      = 512 << 20
	// modelTime is the time of a model between two calls, which is less than that of any real one.
	modelTime = "100ms"
	// clientFile is the file of the client's directory with the address that it dials, and resultFile the one with its figures.
	clientFile, resultFile = "address", "figures"
)

// clientFigures are the figures of one client.
type clientFigures struct {
	// Connection is the median time of a connection with a byte each way.
	Connection time.Duration
	// Stream is the time of receiving streamSize bytes.
	Stream time.Duration
}

// network compares confined calls under rules for the network with those without, and connections through the gate with direct ones and with those
// through a plain proxy.
func (l *bench) network(ctx context.Context) error {
	if s := sandbox.Support(); !s.Enabled {
		l.table("Network: not enforced here: "+s.Reason(), nil)
		return nil
	}
	server, err := net.Listen("tcp", net.JoinHostPort(machineAddress(), "0"))
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	go serveStreams(server)
	proxy, stop, err := startProxy(ctx, server.Addr().String())
	if err != nil {
		return err
	}
	defer stop()
	dir := filepath.Join(l.Dir, "network")
	if err := l.networkProject(dir, server.Addr().String()); err != nil {
		return err
	}
	if err := l.networkCalls(ctx, dir); err != nil {
		return err
	}
	return l.networkConnections(ctx, dir, server.Addr().String(), proxy)
}

// machineAddress returns an address of this machine that a connection through the gate has to be led to, as that of any other host. It is a loopback address if
// there is no other.
func machineAddress() string {
	list, _ := net.InterfaceAddrs() // an error leaves the list empty
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && !p.Addr().IsLoopback() {
			return p.Addr().String()
		}
	}
	return "127.0.0.1"
}

// networkProject creates a project with settings for each kind of network.
func (l *bench) networkProject(dir, server string) error {
	if err := l.project(dir, 0); err != nil {
		return err
	}
	script := func(delay string) string {
		return "turns:\n" + strings.Repeat("  - {tool_calls: [{name: Bash, arguments: {command: \"true\"}}], delay: "+delay+"}\n", callsEach) + "  - text: done\n"
	}
	if err := lab.WriteFiles(dir, map[string]string{
		"on/config/sandbox/sandbox.yaml": "sandbox: {network: on}\n", "off/config/sandbox/sandbox.yaml": "sandbox: {network: off}\n",
		"rules/config/sandbox/sandbox.yaml": fmt.Sprintf("sandbox: {network: {allow: [%q]}}\n", server),
		".aura/config/quick.yaml":           script("0s"),
		".aura/config/patient.yaml":         script(modelTime),
		".aura/config/client.yaml":          "turns:\n  - tool_calls: [{name: Bash, arguments: {command: ./client " + clientArgument + "}}]\n  - text: done\n",
		".aura/config/providers/bench.yaml": "bench: {type: script, file: quick.yaml}\npatient: {type: script, file: patient.yaml}\nclient: {type: script, file: client.yaml}\n",
	}); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "client"), program, 0o700) //nolint:gosec // it is a program
}

// networkCalls compares calls that use no network. Between two calls, a model takes some time, as any real one does, or none.
func (l *bench) networkCalls(ctx context.Context, dir string) error {
	kinds, providers := []string{"on", "off", "rules"}, []string{"patient", "bench"}
	found := map[string]cellTimes{}
	for range cells {
		for _, provider := range providers {
			for _, kind := range kinds {
				key := provider + kind
				if found[key] == nil {
					found[key] = cellTimes{}
				}
				if err := l.session(ctx, dir, kind, provider, found[key]); err != nil {
					return err
				}
			}
		}
	}
	rows := [][]string{{"network", "Bash", "against on", "fastest tenth", "against on", "without a pause", "against on"}}
	for _, kind := range kinds {
		row := []string{kind}
		for _, column := range []struct {
			provider string
			of       func([]time.Duration) time.Duration
		}{{"patient", median}, {"patient", fastest}, {"bench", median}} {
			took, on := column.of(found[column.provider+kind]["Bash"]), column.of(found[column.provider+"on"]["Bash"])
			row = append(row, fine(took), fmt.Sprintf("%s (× %.2f)", fine(took-on), float64(took)/float64(on)))
		}
		rows = append(rows, row)
	}
	l.table(fmt.Sprintf("Network: confined calls that do not use it, with %s between them (medians of %d sessions with %d calls, interleaved; wanted: the same within noise)",
		modelTime, cells, callsEach), rows)
	return nil
}

// fastest returns the time that a tenth of the times is below, which a busy machine changes less than the median.
func fastest(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/10]
}

// networkConnections compares connections.
func (l *bench) networkConnections(ctx context.Context, dir, server, proxy string) error {
	kinds := []struct{ name, settings, address, wanted string }{
		{"direct", "on", server, ""},
		{"through a plain proxy", "on", proxy, ""},
		{"through the gate", "rules", server, "≤ 1ms more; at least half of the proxy's throughput"},
	}
	connections, streams := make([][]time.Duration, len(kinds)), make([][]time.Duration, len(kinds))
	for range cells {
		for i, kind := range kinds {
			figures, err := l.client(ctx, dir, kind.settings, kind.address)
			if err != nil {
				return err
			}
			connections[i], streams[i] = append(connections[i], figures.Connection), append(streams[i], figures.Stream)
		}
	}
	rows := [][]string{{"connection", "connecting, and a byte each way", "more than direct", "throughput", "against the proxy", "wanted"}}
	for i, kind := range kinds {
		took, stream := median(connections[i]), median(streams[i])
		rows = append(rows, []string{
			kind.name, fine(took), fine(took - median(connections[0])),
			fmt.Sprintf("%.0f MB/s", streamSize/stream.Seconds()/1e6), fmt.Sprintf("× %.2f", float64(median(streams[1]))/float64(stream)), kind.wanted,
		})
	}
	l.table(fmt.Sprintf("Network: connections of a confined command (medians of %d sessions, interleaved)", cells), rows)
	return nil
}

// client lets a confined command connect to an address.
func (l *bench) client(ctx context.Context, dir, settings, address string) (clientFigures, error) {
	var out clientFigures
	if err := os.WriteFile(filepath.Join(dir, clientFile), []byte(address), 0o600); err != nil {
		return out, err
	}
	if err := l.session(ctx, dir, settings, "client", cellTimes{}); err != nil {
		return out, err
	}
	text, err := os.ReadFile(filepath.Join(dir, resultFile))
	if err != nil {
		return out, fmt.Errorf("the client has no figures: %w", err)
	}
	return out, errors.Join(json.Unmarshal(text, &out), os.Remove(filepath.Join(dir, resultFile)))
}

// measureConnections is the client.
func measureConnections() error {
	address, err := os.ReadFile(clientFile)
	if err != nil {
		return err
	}
	var times []time.Duration
	for range connectionsEach {
		took, err := exchangeOnce(string(address), 'e', 1)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	figures := clientFigures{Connection: median(times)}
	if figures.Stream, err = exchangeOnce(string(address), 's', streamSize); err != nil {
		return err
	}
	text, err := json.Marshal(figures)
	if err != nil {
		return err
	}
	return os.WriteFile(resultFile, text, 0o600)
}

// exchangeOnce connects, sends a byte and receives size bytes.
func exchangeOnce(address string, send byte, size int64) (time.Duration, error) {
	began := time.Now()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte{send}); err != nil {
		return 0, err
	}
	if _, err := io.CopyN(io.Discard, conn, size); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// serveStreams answers the byte e with a byte, and s with streamSize bytes.
func serveStreams(l net.Listener) {
	chunk := make([]byte, 1<<20)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			first := make([]byte, 1)
			if _, err := io.ReadFull(conn, first); err != nil {
				return
			}
			if first[0] == 'e' {
				_, _ = conn.Write(first)
				return
			}
			for range streamSize / len(chunk) {
				if _, err := conn.Write(chunk); err != nil {
					return
				}
			}
		}()
	}
}

// startProxy starts a process that copies connections to an address, and returns where it listens. The caller must call stop.
func startProxy(ctx context.Context, to string) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, self, proxyArgument, to)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	stop = func() { _, _ = cmd.Process.Kill(), cmd.Wait() }
	if _, err := fmt.Fscanln(out, &address); err != nil {
		stop()
		return "", nil, fmt.Errorf("starting the plain proxy: %w", err)
	}
	return address, stop, nil
}

// serveProxy is the plain proxy.
func serveProxy(to string) error {
	l, err := net.Listen("tcp", net.JoinHostPort(machineAddress(), "0"))
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer func() { _ = conn.Close() }()
			there, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			defer func() { _ = there.Close() }()
			go func() { _, _ = io.Copy(there, conn) }()
			_, _ = io.Copy(conn, there)
		}()
	}
}
