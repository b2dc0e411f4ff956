package planted

import (
	"bytes"
	"encoding/binary"
)

// gitlink is the mode of an index entry that stands for another repository.
const gitlink = 0o160000

// gitlinks returns the paths of the repositories that an index of Git names, relative to the working tree. It stops at the first
// entry that it does not understand.
func gitlinks(index []byte) []string {
	const head, fixed = 12, 62
	if len(index) < head || !bytes.HasPrefix(index, []byte("DIRC")) {
		return nil
	}
	version, count := binary.BigEndian.Uint32(index[4:]), binary.BigEndian.Uint32(index[8:])
	// The object's name has 20 or 32 bytes. Only those of 20 are read; the scan finds the others.
	var out []string
	var previous []byte
	rest := index[head:]
	for ; count > 0 && len(rest) > fixed; count-- {
		mode, flags, size := binary.BigEndian.Uint32(rest[24:]), binary.BigEndian.Uint16(rest[60:]), fixed
		if flags&0x4000 != 0 && version >= 3 {
			size += 2
		}
		if len(rest) < size {
			return out
		}
		name := rest[size:]
		if version == 4 {
			drop, n := offset(name)
			if n == 0 || drop > len(previous) {
				return out
			}
			size += n
			name, previous = name[n:], previous[:len(previous)-drop:len(previous)-drop]
		}
		end := bytes.IndexByte(name, 0)
		if end < 0 {
			return out
		}
		size += end + 1
		name = name[:end]
		if version == 4 {
			name = append(previous, name...)
			previous = name
		} else {
			size = (size + 7) / 8 * 8
		}
		if mode == gitlink {
			out = append(out, string(name))
		}
		if len(rest) < size {
			return out
		}
		rest = rest[size:]
	}
	return out
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
