// Package gitindex reads the index of a Git repository, which lists the files that Git tracks.
package gitindex

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
)

// Link is the mode of an entry that stands for another repository.
const Link = 0o160000

// MaxSize is the largest size of an index that callers should read, in bytes.
const MaxSize = 64 << 20

// Entry is a file that an index names.
type Entry struct {
	Mode uint32
	// Object is the SHA-1 name of the content. Name is the path in the working tree, with slashes.
	Object []byte
	Name   string
}

// Where an entry begins after the head of an index, and where the fields of an entry are, in bytes.
const (
	head     = 12
	modeAt   = 24
	objectAt = 40
	flagsAt  = 60
	nameAt   = 62
)

// extended is the flag of an entry that has two more bytes of flags.
const extended = 0x4000

// Entries returns the entries of an index in order. It stops at the first one that it does not understand. Indexes with objects named by
// SHA-256 are not understood.
func Entries(index []byte) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if len(index) < head || !bytes.HasPrefix(index, []byte("DIRC")) {
			return
		}
		version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
		var name []byte
		rest := index[head:]
		for ; count > 0 && len(rest) > nameAt; count-- {
			var size int
			if name, size = read(rest, version, name); size == 0 {
				return
			}
			if !yield(Entry{Mode: binary.BigEndian.Uint32(rest[modeAt:]), Object: rest[objectAt:flagsAt], Name: string(name)}) || len(rest) < size {
				return
			}
			rest = rest[size:]
		}
	}
}

// read returns the name of the entry at the beginning of a text that is longer than its fields, and the size of the entry; 0 if it is not
// understood. In version 4, a name leaves out what it shares with the previous one.
func read(text []byte, version uint32, previous []byte) (name []byte, size int) {
	size = nameAt
	if binary.BigEndian.Uint16(text[flagsAt:])&extended != 0 && version >= 3 {
		size += 2
	}
	if len(text) < size {
		return nil, 0
	}
	var shared []byte
	if version == 4 {
		drop, n := offset(text[size:])
		if n == 0 || drop > len(previous) {
			return nil, 0
		}
		size += n
		shared = previous[:len(previous)-drop]
	}
	end := bytes.IndexByte(text[size:], 0)
	if end < 0 {
		return nil, 0
	}
	name = text[size : size+end]
	size += end + 1
	if version == 4 {
		return slices.Concat(shared, name), size
	}
	return name, (size + 7) / 8 * 8
}

// offset reads the number at the beginning of a name in version 4 of the format, and returns its length; 0 if there is none.
func offset(text []byte) (value, length int) {
	for i, c := range text[:min(len(text), 5)] {
		if i > 0 {
			value++
		}
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
	}
	return 0, 0
}
