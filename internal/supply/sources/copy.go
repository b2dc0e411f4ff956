package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/signature"
)

// maxCopy is the size of the largest copy, in bytes.
const maxCopy = index.MaxSize + signature.MaxFileSignature

// signatureBegin separates an index from its signature in a copy. Both are in one file, so that they are replaced together.
var signatureBegin = []byte("-----BEGIN SSH SIGNATURE-----")

// fetched is what a source serves.
type fetched struct {
	kind Kind
	// text is the index or the list of a marketplace, signature that of an index.
	text, signature []byte
	commit          string
}

// copyPath returns the file with the last good copy of a source.
func (o Options) copyPath(name string) string { return filepath.Join(o.Dir, name+".copy") }

// store writes the copy of a source.
func (o Options) store(name string, f fetched) error {
	text := f.text
	if f.kind == KindIndex {
		text = bytes.Join([][]byte{f.text, f.signature}, nil)
	}
	if err := files.Replace(o.copyPath(name), text, 0o600); err != nil {
		return fmt.Errorf("keeping a copy of the source %s: %w", name, err)
	}
	return nil
}

// stored reads the copy of a source.
func (o Options) stored(s Source) (fetched, error) {
	text, err := files.ReadNoFollow(o.copyPath(s.Name), maxCopy)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("its copy is gone")
	}
	if err != nil {
		return fetched{}, err
	}
	f := fetched{kind: s.Kind, text: text}
	if at := bytes.LastIndex(text, signatureBegin); s.Signed() && at >= 0 {
		f.text, f.signature = text[:at], text[at:]
	}
	return f, nil
}

// forget removes the copy of a source.
func (o Options) forget(name string) error {
	if err := os.Remove(o.copyPath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
