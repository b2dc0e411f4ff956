package workspace

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // git names objects by SHA-1
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// objectID is git's name of an object.
type objectID [sha1.Size]byte

func (id objectID) String() string { return hex.EncodeToString(id[:]) }

// parseID reads the name of an object in hexadecimal.
func parseID(text string) (objectID, error) {
	var id objectID
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(id) {
		return id, fmt.Errorf("%.80q is not the name of an object of git", text)
	}
	copy(id[:], data)
	return id, nil
}

// objects writes objects into the private repository. Only files and directories can be stored, so there is no way to store a gitlink.
type objects struct {
	// dir is the directory "objects" of the repository.
	dir string
	// known are objects that the repository has.
	known map[objectID]bool
}

// packers holds writers of zlib, because a new one needs almost a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // it fails only with an unknown level
	return w
}}

// unreadableError means that the content of an object could not be read.
type unreadableError struct{ err error }

func (e *unreadableError) Error() string { return e.err.Error() }

// copyObject writes the header and the content of an object, and returns its name.
func copyObject(kind string, size int64, content io.Reader, to io.Writer) (objectID, error) {
	var id objectID
	sum := sha1.New() //nolint:gosec // as above
	all := io.MultiWriter(sum, to)
	if _, err := fmt.Fprintf(all, "%s %d\x00", kind, size); err != nil {
		return id, err
	}
	read := &faultyReader{from: content}
	if n, err := io.Copy(all, io.LimitReader(read, size)); read.err != nil || err == nil && n < size {
		return id, &unreadableError{cmp.Or(read.err, errors.New("it became shorter"))}
	} else if err != nil {
		return id, err
	}
	copy(id[:], sum.Sum(nil))
	return id, nil
}

// faultyReader remembers why a read failed, to tell it from a failed write.
type faultyReader struct {
	from io.Reader
	err  error
}

func (r *faultyReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// put stores an object unless the repository has it. The content is read twice if it does not. A file may change in between; the
// name is that of what was stored.
func (o *objects) put(kind string, size int64, content io.ReadSeeker) (objectID, error) {
	id, err := copyObject(kind, size, content, io.Discard)
	if err != nil || o.known[id] {
		return id, err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return id, &unreadableError{err}
	}
	f, err := os.CreateTemp(o.dir, "new-")
	if err != nil {
		return id, err
	}
	packed, _ := packers.Get().(*zlib.Writer)
	defer packers.Put(packed)
	packed.Reset(f)
	id, err = copyObject(kind, size, content, packed)
	if err = errors.Join(err, packed.Close(), f.Close()); err == nil {
		err = o.publish(f.Name(), id)
	}
	if err != nil {
		return id, errors.Join(err, os.Remove(f.Name()))
	}
	o.known[id] = true
	return id, nil
}

// publish moves a complete object to its name.
func (o *objects) publish(path string, id objectID) error {
	name := id.String()
	if err := os.Rename(path, filepath.Join(o.dir, name[:2], name[2:])); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Join(o.dir, name[:2]), 0o700); err != nil {
		return err
	}
	return os.Rename(path, filepath.Join(o.dir, name[:2], name[2:]))
}

// directory is a directory that is stored as a tree.
type directory struct {
	files map[string]file
	below map[string]*directory
}

// putTree stores files, which are named by their paths, as a tree.
func (o *objects) putTree(all map[string]file) (objectID, error) {
	root := &directory{}
	for path, f := range all {
		at := root
		rest := path
		for {
			name, after, more := strings.Cut(rest, "/")
			if !more {
				break
			}
			next := at.below[name]
			if next == nil {
				if at.below == nil {
					at.below = map[string]*directory{}
				}
				next = &directory{}
				at.below[name] = next
			}
			at, rest = next, after
		}
		if at.files == nil {
			at.files = map[string]file{}
		}
		at.files[rest] = f
	}
	return o.putDirectory(root)
}

func (o *objects) putDirectory(d *directory) (objectID, error) {
	type item struct {
		// order is the name by which git sorts: that of a directory ends with a slash.
		order, name, mode string
		id                objectID
	}
	items := make([]item, 0, len(d.files)+len(d.below))
	for name, f := range d.files {
		items = append(items, item{name, name, f.mode, f.id})
	}
	for name, below := range d.below {
		id, err := o.putDirectory(below)
		if err != nil {
			return id, err
		}
		items = append(items, item{name + "/", name, "40000", id})
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.order, b.order) })
	var text bytes.Buffer
	for _, i := range items {
		fmt.Fprintf(&text, "%s %s\x00%s", i.mode, i.name, i.id[:])
	}
	return o.put("tree", int64(text.Len()), bytes.NewReader(text.Bytes()))
}
