package install

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// clone holds the objects of a repository and the requested commit.
type clone struct {
	storer storer.EncodedObjectStorer
	commit *object.Commit
	// tag is the object of the tag that was asked for, which need not be annotated, and tagName its name. tag is zero for anything else.
	tag     plumbing.Hash
	tagName string
}

// fetch gets the objects of a repository that ref needs, with their history. It stores received objects in dir.
func fetch(ctx context.Context, s source, ref, dir string, o Options) (clone, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxFetch, fmt.Errorf("it takes more than the limit of %s", MaxFetch))
	defer cancel()
	c, err := fetchKind(ctx, s, ref, dir, o)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return clone{}, fmt.Errorf("cloning %s: %w", s.url, err)
	}
	return c, nil
}

func fetchKind(ctx context.Context, s source, ref, dir string, o Options) (clone, error) {
	if s.kind == kindFile {
		return openFile(s, ref)
	}
	p := newPeer()
	session, adv, err := connect(ctx, s, o, p)
	if err != nil {
		return clone{}, p.explain(err)
	}
	defer func() { _ = session.Close() }()
	p.listed()
	if len(adv.References) > MaxRefs {
		return clone{}, fmt.Errorf("the server lists more than the limit of %d branches and tags", MaxRefs)
	}
	refs := advertised(adv)
	wants, err := refs.wants(ref)
	if err != nil {
		return clone{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return clone{}, err
	}
	st := filesystem.NewStorage(osfs.New(dir, osfs.WithBoundOS()), cache.NewObjectLRUDefault())
	spool, err := os.Create(filepath.Join(dir, "received"))
	if err != nil {
		return clone{}, err
	}
	err = p.explain(receive(ctx, session, adv, wants, spool, o.Progress))
	if err == nil {
		err = unpack(spool, st)
	}
	if err = errors.Join(err, spool.Close()); err != nil {
		return clone{}, err
	}
	return refs.clone(st, ref)
}

// openFile reads a local repository in place. It runs no git program and nothing that the repository configures.
func openFile(s source, ref string) (clone, error) {
	refs, repo, err := openRefs(s)
	if err != nil {
		return clone{}, err
	}
	if _, err := refs.wants(ref); err != nil {
		return clone{}, err
	}
	return refs.clone(hashed{repo.Storer}, ref)
}

// openRefs opens a repository on this machine and reads its branches and tags.
func openRefs(s source) (references, *git.Repository, error) {
	refs := references{named: map[plumbing.ReferenceName]plumbing.Hash{}}
	repo, err := git.PlainOpenWithOptions(s.dir, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if info, statErr := os.Stat(s.dir); errors.Is(err, git.ErrRepositoryNotExists) || statErr == nil && !info.IsDir() {
		return refs, nil, fmt.Errorf("there is no git repository; to copy a directory, write %s without file://", s.dir)
	}
	if err != nil {
		return refs, nil, err
	}
	if err := checkPackedRefs(repo); err != nil {
		return refs, nil, err
	}
	iter, err := repo.References()
	if err != nil {
		return refs, nil, err
	}
	err = iter.ForEach(func(r *plumbing.Reference) error {
		if len(refs.named) >= MaxRefs {
			return fmt.Errorf("the repository has more than the limit of %d branches and tags", MaxRefs)
		}
		if r.Type() == plumbing.HashReference {
			refs.named[r.Name()] = r.Hash()
		}
		return nil
	})
	if err != nil {
		return refs, nil, err
	}
	if head, err := repo.Head(); err == nil {
		refs.head = head.Hash()
	}
	return refs, repo, nil
}

// checkPackedRefs returns an error for a list of branches and tags that is too large to read.
func checkPackedRefs(repo *git.Repository) error {
	st, ok := repo.Storer.(*filesystem.Storage)
	if !ok {
		return nil
	}
	info, err := st.Filesystem().Stat("packed-refs")
	if err == nil && info.Size() > MaxRefBytes {
		return fmt.Errorf("the repository's list of branches and tags has more than the limit of %d MB", MaxRefBytes>>20)
	}
	return nil
}

// receive requests commits with all their objects and writes the received pack to a file.
func receive(ctx context.Context, session transport.UploadPackSession, adv *packp.AdvRefs, wants []plumbing.Hash, to io.Writer, progress func(int64)) error {
	req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
	req.Wants = wants
	// aura does not show the server's progress messages, so the server need not send them.
	if adv.Capabilities.Supports(capability.NoProgress) {
		if err := req.Capabilities.Set(capability.NoProgress); err != nil {
			return err
		}
	}
	response, err := session.UploadPack(ctx, req)
	if err != nil {
		return err
	}
	defer func() { _ = response.Close() }()
	var r io.Reader = response
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		r = sideband.NewDemuxer(sideband.Sideband64k, response)
	case req.Capabilities.Supports(capability.Sideband):
		r = sideband.NewDemuxer(sideband.Sideband, response)
	}
	_, err = io.Copy(to, &meter{in: r, progress: progress})
	return err
}

// unpack writes the objects of a pack to a storage. A pack can hold far more than its own size, and reading an object takes as
// much memory as the object has bytes. So the sizes are checked first.
func unpack(pack io.ReadSeeker, to storer.PackfileWriter) error {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return err
	}
	s := packfile.NewScanner(pack)
	_, objects, err := s.Header()
	if err != nil {
		return fmt.Errorf("reading what was received: %w", err)
	}
	if objects > MaxObjects {
		return fmt.Errorf("the repository has more than the limit of %d objects", MaxObjects)
	}
	total := int64(0)
	for range objects {
		h, err := s.NextObjectHeader()
		if err != nil {
			return fmt.Errorf("reading what was received: %w", err)
		}
		size := h.Length
		if h.Type.IsDelta() {
			var begin beginning
			if _, _, err := s.NextObject(&begin); err != nil {
				return fmt.Errorf("reading what was received: %w", err)
			}
			size = max(size, begin.target())
		}
		if size > MaxBytes {
			return fmt.Errorf("the repository has an object of more than %d MB", MaxBytes>>20)
		}
		if total += size; total > MaxUnpacked {
			return fmt.Errorf("the objects of the repository have more than the limit of %d MB", MaxUnpacked>>20)
		}
	}
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return packfile.WritePackfileToObjectStorage(to, pack)
}

// beginning keeps the first bytes of a delta object: the sizes of the base object and of the resulting object.
type beginning []byte

func (b *beginning) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), 2*binary.MaxVarintLen64-len(*b))]...)
	return len(p), nil
}

// target returns the size of the resulting object, as the delta states it.
func (b *beginning) target() int64 {
	_, n := binary.Uvarint(*b)
	if n <= 0 {
		return 0 // the reader of the object reports the error
	}
	size, _ := binary.Uvarint((*b)[n:])
	return int64(min(size, math.MaxInt64))
}

// meter counts the received bytes and limits them.
type meter struct {
	in       io.Reader
	received int64
	progress func(received int64)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	m.received += int64(n)
	if m.received > MaxBytes {
		return 0, fmt.Errorf("the repository has more than %d MB", MaxBytes>>20)
	}
	if m.progress != nil && n > 0 {
		m.progress(m.received)
	}
	return n, err
}
