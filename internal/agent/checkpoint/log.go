package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

const logName = "log"

// maxRecord is the size of the largest record that is read, in bytes.
const maxRecord = 1 << 30

// record is a snapshot in the log: its differences to the one before. The first record has only the tree.
type record struct {
	Tree    string
	ID      int
	Kind    Kind
	At      time.Time
	Ours    bool
	From    int
	Entries []entry
}

// log is an append-only file of records, each with its length and a checksum. A part of a record at the end, which a crash left, is
// overwritten.
type log struct {
	file *os.File
	size int64
}

// errOtherTree means that a store belongs to another directory.
var errOtherTree = errors.New("what is kept belongs to another directory")

func openLog(dir, tree string, each func(record)) (*log, error) {
	f, err := files.OpenNoFollow(filepath.Join(dir, logName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &log{file: f}
	first := true
	err = l.read(func(r record) error {
		if first && r.Tree != tree {
			return fmt.Errorf("%w: %s", errOtherTree, r.Tree)
		}
		if !first {
			each(r)
		}
		first = false
		return nil
	})
	if err == nil && first {
		err = l.append(record{Tree: tree})
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// read passes the complete records on.
func (l *log) read(each func(record) error) error {
	var head [8]byte
	for {
		if n, _ := l.file.ReadAt(head[:], l.size); n < len(head) {
			return nil
		}
		size, sum := int64(binary.BigEndian.Uint32(head[:4])), binary.BigEndian.Uint32(head[4:])
		if size > maxRecord {
			return nil
		}
		data := make([]byte, size)
		if n, _ := l.file.ReadAt(data, l.size+int64(len(head))); int64(n) < size || crc32.ChecksumIEEE(data) != sum {
			return nil
		}
		var r record
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&r); err != nil {
			return fmt.Errorf("reading what is kept: %w", err)
		}
		if err := each(r); err != nil {
			return err
		}
		l.size += int64(len(head)) + size
	}
}

// append writes a record and waits until it is on disk.
func (l *log) append(r record) error {
	data := bytes.NewBuffer(make([]byte, 8))
	if err := gob.NewEncoder(data).Encode(r); err != nil {
		return err
	}
	line := data.Bytes()
	if len(line) > maxRecord {
		return errFull
	}
	binary.BigEndian.PutUint32(line, uint32(len(line)-8))
	binary.BigEndian.PutUint32(line[4:], crc32.ChecksumIEEE(line[8:]))
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(line, l.size); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.size += int64(len(line))
	return nil
}

func (l *log) close() error { return l.file.Close() }
