//go:build linux

package scripts

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// gitssh serves the repositories below repos/ over ssh, with git-upload-pack. It sets SSH to the server's URL and SSHPORT to
// its port. It writes the files that a user may have: keys/good, which the server accepts, keys/bad, which it refuses, and
// keys/known_hosts. An agent that holds the good key listens at AGENT.
func gitSSH(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: gitssh")
	}
	_, hostKey, err := ed25519.GenerateKey(rand.Reader)
	ts.Check(err)
	host, err := ssh.NewSignerFromKey(hostKey)
	ts.Check(err)
	keys := ts.MkAbs("keys")
	ts.Check(os.MkdirAll(keys, 0o700))
	good, key := newKey(ts, filepath.Join(keys, "good"))
	newKey(ts, filepath.Join(keys, "bad"))
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if string(k.Marshal()) != string(good.PublicKey().Marshal()) {
			return nil, io.EOF
		}
		return &ssh.Permissions{}, nil
	}}
	config.AddHostKey(host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	go serve(l, func(c net.Conn) { serveSSH(c, config, ts.MkAbs("repos")) })
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	line := knownhosts.Line([]string{knownhosts.Normalize(l.Addr().String())}, host.PublicKey())
	ts.Check(os.WriteFile(filepath.Join(keys, "known_hosts"), []byte(line+"\n"), 0o600))
	// The path of a socket must be short.
	socket := filepath.Join(ts.Getenv("XDG_RUNTIME_DIR"), "agent")
	a, err := net.Listen("unix", socket)
	ts.Check(err)
	ring := agent.NewKeyring()
	ts.Check(ring.Add(agent.AddedKey{PrivateKey: key}))
	go serve(a, func(c net.Conn) { _ = agent.ServeAgent(ring, c) })
	ts.Defer(func() {
		_ = l.Close()
		_ = a.Close()
	})
	ts.Setenv("SSH", "ssh://git@127.0.0.1:"+port)
	ts.Setenv("SSHPORT", port)
	ts.Setenv("AGENT", socket)
}

// newKey creates a private key and writes it to a file.
func newKey(ts *testscript.TestScript, file string) (ssh.Signer, ed25519.PrivateKey) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	ts.Check(err)
	block, err := ssh.MarshalPrivateKey(key, "")
	ts.Check(err)
	ts.Check(os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	signer, err := ssh.NewSignerFromKey(key)
	ts.Check(err)
	return signer, key
}

// serve handles connections until the listener is closed.
func serve(l net.Listener, handle func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = c.Close() }()
			handle(c)
		}()
	}
}

func serveSSH(c net.Conn, config *ssh.ServerConfig, root string) {
	conn, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	go ssh.DiscardRequests(requests)
	for ch := range channels {
		if ch.ChannelType() != "session" {
			_ = ch.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		channel, requests, err := ch.Accept()
		if err != nil {
			return
		}
		go serveSession(channel, requests, root)
	}
}

func serveSession(ch ssh.Channel, requests <-chan *ssh.Request, root string) {
	defer func() { _ = ch.Close() }()
	for r := range requests {
		var command struct{ Text string }
		path, ok := "", false
		if r.Type == "exec" && ssh.Unmarshal(r.Payload, &command) == nil {
			path, ok = strings.CutPrefix(command.Text, "git-upload-pack '")
		}
		_ = r.Reply(ok, nil)
		if !ok {
			continue
		}
		cmd := exec.Command("git-upload-pack", filepath.Join(root, filepath.Clean("/"+strings.TrimSuffix(path, "'"))))
		cmd.Env = append(os.Environ(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
		cmd.Stdout, cmd.Stderr = ch, ch.Stderr()
		status := struct{ Status uint32 }{}
		if runPiped(cmd, ch) != nil {
			status.Status = 1
		}
		_, _ = ch.SendRequest("exit-status", false, ssh.Marshal(status))
		return
	}
}

// runPiped runs a command whose input comes from r. It returns when the command exits, even if r has not ended.
func runPiped(cmd *exec.Cmd, r io.Reader) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, r)
		_ = in.Close()
	}()
	return cmd.Wait()
}
