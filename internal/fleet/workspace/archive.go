package workspace

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet"
)

// secretsFile is never packed: secrets do not travel through the queue.
const secretsFile = "secrets.env"

// Pack writes a directory as a compressed tar archive and returns its SHA-256. The same files make the same archive. It leaves out
// .git and secrets.env. Links must lead to a place inside the directory.
func Pack(dir string, w io.Writer) (string, error) {
	sum := sha256.New()
	packed := gzip.NewWriter(io.MultiWriter(&limited{w: w, left: fleet.MaxArchive}, sum))
	out := tar.NewWriter(packed)
	n, bytes, names := 0, int64(0), fleet.Names{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if omitted(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if n++; n > fleet.MaxArchiveFiles {
			return fmt.Errorf("it has more than %d files", fleet.MaxArchiveFiles)
		}
		if err := names.Add(filepath.ToSlash(rel)); err != nil {
			return err
		}
		size, err := add(out, path, filepath.ToSlash(rel), d)
		if bytes += size; err == nil && bytes > fleet.MaxArchive {
			err = fmt.Errorf("it has more than %d MiB", fleet.MaxArchive>>20)
		}
		return err
	})
	if err = errors.Join(err, out.Close(), packed.Close()); err != nil {
		return "", fmt.Errorf("packing %s: %w", dir, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// omitted reports whether a file or directory of this name is left out of archives.
func omitted(name string) bool {
	return fleet.RepositoryName(name) || strings.EqualFold(name, secretsFile)
}

// add writes one entry. Times and owners are left out, so that the archive depends on the files alone.
func add(out *tar.Writer, path, name string, d fs.DirEntry) (int64, error) {
	h := &tar.Header{Name: name, Mode: 0o644, Format: tar.FormatPAX}
	switch {
	case d.IsDir():
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, name+"/", 0o755
		return 0, out.WriteHeader(h)
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return 0, err
		}
		if !linkStays(name, target) {
			return 0, fmt.Errorf("%s is a link to %s, which is outside of the directory", name, target)
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, filepath.ToSlash(target)
		return 0, out.WriteHeader(h)
	case !d.Type().IsRegular():
		return 0, nil // sockets, pipes and devices have no content to pack
	}
	f, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if info.Mode()&0o100 != 0 {
		h.Mode = 0o755
	}
	if err := out.WriteHeader(h); err != nil {
		return 0, err
	}
	_, err = io.Copy(out, io.LimitReader(f, info.Size()))
	return info.Size(), err
}

// linkStays reports whether a link leads to a place inside the directory, by its text.
func linkStays(name, target string) bool {
	return !filepath.IsAbs(target) && filepath.IsLocal(filepath.Join(filepath.Dir(filepath.FromSlash(name)), filepath.FromSlash(target)))
}

// limited fails once too much was written.
type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, fmt.Errorf("it has more than %d MiB when packed", fleet.MaxArchive>>20)
	}
	return l.w.Write(p)
}

// Unpack writes the files of an archive below a directory. Whatever the archive names, nothing outside is touched, and nothing is written
// unless all of it can be.
func Unpack(r io.ReadSeeker, dir string) error {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	taken := map[string]bool{}
	for _, do := range []func(io.Reader, *tar.Header, string) error{
		func(_ io.Reader, h *tar.Header, name string) error { return checkEntry(h, name, taken) },
		func(in io.Reader, h *tar.Header, name string) error { return extract(root, in, h, name) },
	} {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := eachEntry(r, do); err != nil {
			return err
		}
	}
	return nil
}

// maxHeader is how much an entry of an archive needs besides its content, in bytes.
const maxHeader = 16 << 10

// eachEntry calls do for each entry of an archive, within the limits of archives.
func eachEntry(r io.Reader, do func(in io.Reader, h *tar.Header, name string) error) error {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	var names fleet.Names
	room := int64(fleet.MaxArchive)
	in := tar.NewReader(io.LimitReader(packed, fleet.MaxArchive+fleet.MaxArchiveFiles*maxHeader))
	for n := 0; ; n++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(h.Name, "/")
		if n >= fleet.MaxArchiveFiles || h.Size < 0 || h.Size > room {
			return fmt.Errorf("the archive has more than %d files or %d MiB", fleet.MaxArchiveFiles, fleet.MaxArchive>>20)
		}
		room -= h.Size
		if err := names.Add(name); err != nil {
			return fmt.Errorf("the archive: %w", err)
		}
		if err := do(in, h, filepath.FromSlash(name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// checkEntry returns an error if Pack writes no such entry. taken holds the files and links before it.
func checkEntry(h *tar.Header, name string, taken map[string]bool) error {
	for at := name; at != "."; at = filepath.Dir(at) {
		if taken[at] {
			return fmt.Errorf("%s is a file or a link already", at)
		}
	}
	taken[name] = h.Typeflag != tar.TypeDir
	switch h.Typeflag {
	case tar.TypeDir, tar.TypeReg:
	case tar.TypeSymlink:
		if !linkStays(name, h.Linkname) {
			return fmt.Errorf("a link to %q, which is outside of the workspace", h.Linkname)
		}
	default:
		return errors.New("an entry that is neither a file, a directory nor a link")
	}
	if omitted(filepath.Base(name)) {
		return errors.New("no archive has such a file")
	}
	return nil
}

// extract writes one entry. Only the permission to execute is taken from it.
func extract(root *os.Root, in io.Reader, h *tar.Header, name string) error {
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(h.Mode)&0o755|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}
