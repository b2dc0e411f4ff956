package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/idelchi/aura/internal/base/files"
)

const objectsName = "objects"

// headSize is the size of the head of an object: its hash and its length.
const headSize = len(hash{}) + 8

// objects is an append-only file of contents, named by their hashes. A part of an object at the end, which a crash left, is overwritten.
type objects struct {
	mu    sync.Mutex
	file  *os.File
	size  int64
	at    map[hash]place
	dirty bool
}

type place struct{ offset, size int64 }

func openObjects(dir string) (*objects, error) {
	f, err := files.OpenNoFollow(filepath.Join(dir, objectsName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	o := &objects{file: f, at: map[hash]place{}}
	if err := o.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return o, nil
}

// read finds the objects.
func (o *objects) read() error {
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	var head [headSize]byte
	for o.size+int64(headSize) <= info.Size() {
		if _, err := o.file.ReadAt(head[:], o.size); err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint64(head[len(hash{}):]))
		begin := o.size + int64(headSize)
		if n < 0 || n > info.Size()-begin {
			break
		}
		o.at[hash(head[:len(hash{})])] = place{begin, n}
		o.size = begin + n
	}
	return nil
}

// errFull means that the limit is reached.
var errFull = errors.New("what is kept has reached its limit")

// put keeps a content, unless it is kept already.
func (o *objects) put(data []byte, limit int64) (hash, error) {
	h := hash(sha256.Sum256(data))
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.at[h]; ok {
		return h, nil
	}
	if o.size+int64(headSize+len(data)) > limit {
		return h, errFull
	}
	record := make([]byte, 0, headSize+len(data))
	record = append(record, h[:]...)
	record = binary.BigEndian.AppendUint64(record, uint64(len(data)))
	if _, err := o.file.WriteAt(append(record, data...), o.size); err != nil {
		return h, err
	}
	o.at[h] = place{o.size + int64(headSize), int64(len(data))}
	o.size += int64(headSize + len(data))
	o.dirty = true
	return h, nil
}

// get returns a content. It fails if the content is damaged.
func (o *objects) get(h hash) ([]byte, error) {
	o.mu.Lock()
	p, ok := o.at[h]
	o.mu.Unlock()
	if !ok {
		return nil, errors.New("its content is not kept")
	}
	data := make([]byte, p.size)
	if _, err := io.ReadFull(io.NewSectionReader(o.file, p.offset, p.size), data); err != nil {
		return nil, fmt.Errorf("reading its kept content: %w", err)
	}
	if hash(sha256.Sum256(data)) != h {
		return nil, errors.New("its kept content is damaged")
	}
	return data, nil
}

// has reports whether a content is kept.
func (o *objects) has(h hash) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.at[h]
	return ok
}

// sync waits until all contents are on disk.
func (o *objects) sync() error {
	if !o.dirty {
		return nil
	}
	if err := o.file.Sync(); err != nil {
		return err
	}
	o.dirty = false
	return nil
}

func (o *objects) close() error { return o.file.Close() }
