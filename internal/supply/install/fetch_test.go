package install

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // packs end with it
	"encoding/binary"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// packOf returns a pack with a blob and a delta of it, which copies the blob's 64 KB many times.
func packOf(t *testing.T, copies int) []byte {
	t.Helper()
	const size = 0xffff
	base := bytes.Repeat([]byte("a"), size)
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, size), uint64(copies)*size)
	for range copies {
		delta = append(delta, 0x80|0x10|0x20, 0xff, 0xff) // copy 64 KB from offset 0
	}
	var pack bytes.Buffer
	pack.WriteString("PACK")
	pack.Write([]byte{0, 0, 0, 2, 0, 0, 0, 2})
	object := func(kind byte, content []byte, before ...byte) {
		n := len(content)
		head := kind<<4 | byte(n&0xf)
		for n >>= 4; n > 0; n >>= 7 {
			pack.WriteByte(head | 0x80)
			head = byte(n & 0x7f)
		}
		pack.WriteByte(head)
		pack.Write(before)
		z := zlib.NewWriter(&pack)
		if _, err := z.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, base)
	object(3, base)
	object(7, delta, hash[:]...)
	sum := sha1.Sum(pack.Bytes()) //nolint:gosec // packs end with it
	pack.Write(sum[:])
	return pack.Bytes()
}

// TestUnpack checks that an object with a small delta and a large result is refused before it is read.
func TestUnpack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		copies int
		err    string
	}{
		"small": {copies: 2},
		"huge":  {copies: 1 << 15, err: "the repository has an object of more than 200 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := filesystem.NewStorage(memfs.New(), cache.NewObjectLRUDefault())
			err := unpack(bytes.NewReader(packOf(t, c.copies)), st)
			switch {
			case c.err == "" && err != nil:
				t.Error(err)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("got %v, want %q", err, c.err)
			}
		})
	}
}
