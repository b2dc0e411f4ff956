package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// MaxDownload is the time for one file from an https address.
const MaxDownload = 2 * time.Minute

// Address is where a list of plugins comes from, as the user named it.
type Address struct {
	// URL is recorded and shown. It holds no secret.
	URL string
	// File reports whether it is a single file at an https address, and not a git repository.
	File bool
	// Here reports whether it is a repository on this machine.
	Here bool
	// Host is the host with its port; empty for a repository on this machine.
	Host string
}

// ParseAddress parses an address. A file at an https address ends in .json; anything else is a git repository.
func ParseAddress(text, workdir string) (Address, error) {
	s, err := parseSource(text, workdir)
	if err != nil {
		return Address{}, err
	}
	if s.kind == kindLocal {
		return Address{}, fmt.Errorf("%s is a directory; name a git repository (file://%s if it is one), or an https address that ends in .json", s.url, filepath.ToSlash(s.dir))
	}
	return Address{URL: s.url, File: s.kind == kindHTTP && strings.HasSuffix(s.path, ".json"), Here: s.kind == kindFile, Host: s.address()}, nil
}

// Download gets a file of at most limit bytes from an https address. A missing file is fs.ErrNotExist.
func Download(ctx context.Context, address string, limit int64, o Options) ([]byte, error) {
	p := newPeer()
	return download(ctx, httpClient(p), p, address, limit, MaxDownload, o.Progress)
}

func download(ctx context.Context, client *http.Client, p *peer, address string, limit int64, within time.Duration, progress func(int64)) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it takes more than the limit of %s", within))
	defer cancel()
	text, err := get(ctx, client, address, limit, progress)
	// A server may end its answer in the moment in which a limit is reached.
	if err == nil {
		err = p.receive(0)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("fetching %s: %w", address, explainHTTP(p.explain(err), ""))
	}
	return text, nil
}

func get(ctx context.Context, client *http.Client, address string, limit int64, progress func(int64)) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("the server has no such file: %w", fs.ErrNotExist)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %s", resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(&meter{in: resp.Body, progress: progress}, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("the file has more than the limit of %d bytes", limit)
	}
	return text, err
}

// ReadFiles returns files at the top of the default branch of a git repository, and the commit. Files that are missing are left out.
func ReadFiles(ctx context.Context, address string, limits map[string]int64, o Options) (found map[string][]byte, commit string, err error) {
	s, err := parseSource(address, o.Workdir)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "aura-source-")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at := located{source: s}
	if at.clone, err = fetch(ctx, s, "", filepath.Join(dir, "git"), o); err != nil {
		return nil, "", err
	}
	found = map[string][]byte{}
	for name, limit := range limits {
		text, err := at.read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && int64(len(text)) > limit {
			err = fmt.Errorf("it has more than the limit of %d bytes", limit)
		}
		if err != nil {
			return nil, "", fmt.Errorf("reading %s of %s: %w", name, address, err)
		}
		found[name] = text
	}
	return found, at.commit.Hash.String(), nil
}
