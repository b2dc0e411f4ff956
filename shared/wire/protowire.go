package wire

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// kind is how a field is encoded, with the numbers of protobuf.
type kind uint8

const (
	varintKind kind = iota
	fixed64Kind
	bytesKind
	groupKind
	endGroupKind
	fixed32Kind
)

// maxField is the highest number of a field, and maxGroups is how deeply groups may be nested.
const (
	maxField  = 1<<29 - 1
	maxGroups = 10_000
)

var errMalformed = errors.New("reading a message: it is malformed")

func appendKey(b []byte, number int, k kind) []byte {
	return binary.AppendUvarint(b, uint64(number)<<3|uint64(k)) //nolint:gosec // numbers are positive
}

// takeVarint returns a number at the beginning of b, and the rest.
func takeVarint(b []byte) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errMalformed
	}
	return v, b[n:], nil
}

// takeKey returns the number and the kind of the next field.
func takeKey(b []byte) (number int, k kind, rest []byte, err error) {
	v, rest, err := takeVarint(b)
	if err != nil || v>>3 < 1 || v>>3 > math.MaxInt32 {
		return 0, 0, nil, errMalformed
	}
	return int(v >> 3), kind(v & 7), rest, nil //nolint:gosec // it was compared
}

// takeBytes returns n bytes, and the rest.
func takeBytes(b []byte, n uint64) (data, rest []byte, err error) {
	if n > uint64(len(b)) {
		return nil, nil, errMalformed
	}
	return b[:n], b[n:], nil
}

// takeValue fills in the value of a field and returns the rest. Values of other kinds than numbers and bytes are skipped.
func takeValue(b []byte, f *field) (rest []byte, err error) {
	switch f.kind {
	case varintKind:
		f.value, rest, err = takeVarint(b)
	case bytesKind:
		var n uint64
		if n, rest, err = takeVarint(b); err == nil {
			f.data, rest, err = takeBytes(rest, n)
		}
	case fixed64Kind:
		_, rest, err = takeBytes(b, 8)
	case fixed32Kind:
		_, rest, err = takeBytes(b, 4)
	case groupKind:
		rest, err = skipGroup(b, f.number)
	default:
		err = errMalformed
	}
	return rest, err
}

// skipGroup returns what follows a group.
func skipGroup(b []byte, number int) ([]byte, error) {
	open := []int{number}
	for len(open) > 0 {
		inner, k, rest, err := takeKey(b)
		switch {
		case err != nil:
			return nil, err
		case k == endGroupKind && inner != open[len(open)-1], k == groupKind && len(open) > maxGroups:
			return nil, errMalformed
		case k == endGroupKind:
			open = slices.Delete(open, len(open)-1, len(open))
		case k == groupKind:
			open = append(open, inner)
		default:
			if rest, err = takeValue(rest, &field{number: inner, kind: k}); err != nil {
				return nil, err
			}
		}
		b = rest
	}
	return b, nil
}
