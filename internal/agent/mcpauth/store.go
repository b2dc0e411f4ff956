// Package mcpauth logs in to MCP servers that are reached over HTTP, by OAuth 2.1, and keeps their tokens. A token belongs to one address of a
// server and is sent nowhere else.
package mcpauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// Store holds the logins of a user in a directory, which confined code must not be able to read. Each login has a file of its own.
type Store struct{ Dir string }

// login is what is kept of a login. URL, Resource and Issuer say for whom the token is; TokenEndpoint is where it is refreshed.
// Scopes are those that the token has, and Wanted those that the server asked for beside them.
type login struct {
	Version       int       `json:"version"`
	URL           string    `json:"url"`
	Resource      string    `json:"resource"`
	Issuer        string    `json:"issuer"`
	TokenEndpoint string    `json:"token_endpoint"`
	Client        client    `json:"client"`
	Scopes        []string  `json:"scopes,omitempty"`
	Wanted        []string  `json:"wanted,omitempty"`
	Access        string    `json:"access_token"`
	Refresh       string    `json:"refresh_token,omitempty"`
	Expires       time.Time `json:"expires,omitzero"`
}

// client is how aura is known to an authorization server.
type client struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	// Method is how the secret is sent: client_secret_basic or client_secret_post.
	Method string `json:"method,omitempty"`
}

const (
	version = 1
	// maxFile is the largest file of a login, in bytes.
	maxFile = 256 << 10
)

// ErrNoPlace means that the user has no directory for state.
var ErrNoPlace = errors.New("there is no directory to keep the login in: set HOME or XDG_STATE_HOME")

// path returns the file of a server. Servers with the same address share a login, whatever their names are.
func (s Store) path(url string) string {
	sum := sha256.Sum256([]byte(url))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16])+".json")
}

// read returns the login for an address; nil if there is none.
func (s Store) read(url string) (*login, error) {
	if s.Dir == "" {
		return nil, nil
	}
	data, err := files.ReadNoFollow(s.path(url), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the login: %w", err)
	}
	var l login
	if err := json.Unmarshal(data, &l); err != nil || l.Version != version || l.URL != url {
		return nil, fmt.Errorf("reading the login: %s is damaged; log in again", s.path(url))
	}
	return &l, nil
}

// write replaces the login for its address. The caller must hold the lock.
func (s Store) write(l *login) error {
	l.Version = version
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= maxFile {
		return errors.New("the tokens are too large to be kept")
	}
	return files.Replace(s.path(l.URL), append(data, '\n'), 0o600)
}

// locked runs a function while no other aura changes the login for an address.
func (s Store) locked(ctx context.Context, url string, do func() error) (err error) {
	if s.Dir == "" {
		return ErrNoPlace
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	held, err := lock.Wait(ctx, s.path(url)+".lock", func() {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	return do()
}

// Logout forgets the login for an address, and reports whether there was one.
func (s Store) Logout(ctx context.Context, url string) (bool, error) {
	found := false
	err := s.locked(ctx, url, func() error {
		err := os.Remove(s.path(url))
		found = err == nil
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return found, err
}

// LoggedIn reports whether there is a login for an address.
func (s Store) LoggedIn(url string) bool {
	l, err := s.read(url)
	return err == nil && l != nil
}

// Secrets returns the values of the login for an address that must not be shown.
func (s Store) Secrets(url string) []string {
	l, err := s.read(url)
	if err != nil || l == nil {
		return nil
	}
	var out []string
	for _, value := range []string{l.Access, l.Refresh, l.Client.Secret} {
		if value != "" {
			out = append(out, value)
		}
	}
	return out
}
