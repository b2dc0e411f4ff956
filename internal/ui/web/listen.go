package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
)

// ListenPort listens on a port of 127.0.0.1 alone; 0 is any free port.
func ListenPort(ctx context.Context, port int) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening on port %d: %w; choose another --port", port, err)
	}
	return listener, nil
}

// ListenSocket listens on a Unix socket that only this user can open. It creates the directory of the socket if there is none, and refuses
// one that others may enter: between the creation of a socket and the change of its mode, only the directory protects it.
func ListenSocket(ctx context.Context, path string) (net.Listener, error) {
	failed := func(err error) (net.Listener, error) {
		return nil, fmt.Errorf("listening on socket %s: %w", path, err)
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return failed(err)
	}
	if err := removeStale(path); err != nil {
		return failed(err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return failed(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return failed(errors.Join(err, listener.Close()))
	}
	return listener, nil
}

// privateDir creates a directory, or checks that only this user can enter the one that exists.
func privateDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir(), !files.Ours(info), info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("directory %s must belong to you, and others must not enter it; run: chmod 700 %[1]s", dir)
	}
	return nil
}

// removeStale removes the socket of a server that was killed. It removes nothing else.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("there is another file; name a new one")
	}
	if conn, err := net.Dial("unix", path); err == nil {
		return errors.Join(errors.New("another server listens on it"), conn.Close())
	}
	return os.Remove(path)
}
