package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// Described is what an index says about a version of a source.
type Described struct {
	Name, Description, URL string
	// Tag is the tag that was asked for, and empty for a branch or a commit, which is not what an index can name.
	Tag, Commit, Subpath string
	// Hash is the hash of the files of the commit.
	Hash     string
	Requests map[string]manifest.Asks
}

// Describe fetches a version and prepares it as Add does, but installs nothing.
func Describe(ctx context.Context, r Request, o Options) (d Described, err error) {
	src, err := parseSource(r.Source, o.Workdir)
	if err == nil && src.kind == kindLocal {
		err = errNeedsGit
	}
	if err == nil {
		err = r.normalise(&src)
	}
	if err != nil {
		return Described{}, fmt.Errorf("describing %s: %w", r.Source, err)
	}
	home, err := os.MkdirTemp("", "aura-describe-")
	if err != nil {
		return Described{}, err
	}
	defer func() { err = errors.Join(err, removeAll(home)) }()
	d, err = describe(ctx, Place{Home: home, Root: filepath.Join(home, "plugins")}, src, r, o)
	if err != nil {
		return Described{}, fmt.Errorf("describing %s: %w", src.url, err)
	}
	return d, nil
}

func describe(ctx context.Context, p Place, src source, r Request, o Options) (d Described, err error) {
	s, err := newStage(ctx, p, o)
	if err != nil {
		return Described{}, err
	}
	defer func() { err = errors.Join(s.readable(err), s.close()) }()
	at, err := s.locate(ctx, src, r.Ref, "", false, o)
	if err != nil {
		return Described{}, err
	}
	dir, commit, _, err := s.writeSource(ctx, at, r, o)
	if err != nil {
		return Described{}, err
	}
	d = Described{Name: r.Name, URL: src.url, Tag: at.tagName, Commit: commit, Subpath: strings.Join(r.Subpaths, ""), Requests: map[string]manifest.Asks{}}
	if d.Hash, err = hashSource(dir); err != nil {
		return Described{}, err
	}
	if err := s.origin(ctx, dir, at, r, commit, o); err != nil {
		return Described{}, err
	}
	ready, err := s.prepare(ctx, dir, src.url, o)
	if err != nil {
		return Described{}, err
	}
	for _, f := range ready.facts {
		d.Requests[f.Name] = f.Asks
	}
	if len(ready.plugins) == 1 {
		d.Name, d.Description = ready.plugins[0].Name, ready.plugins[0].Manifest.Description
	}
	return d, nil
}

// SignFile signs a file with a key of the user, as Sign does, and returns the fingerprint of the key.
func SignFile(ctx context.Context, key, namespace string, text []byte, o Options) (armored []byte, fingerprint string, err error) {
	keys := o.keys(ctx)
	defer keys.close()
	signer, err := o.signingKey(keys, key)
	if err == nil {
		armored, err = signature.SignFile(signer, namespace, text)
	}
	if err != nil {
		return nil, "", err
	}
	return armored, ssh.FingerprintSHA256(signer.PublicKey()), nil
}
