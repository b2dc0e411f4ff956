package index

import (
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/supply/signature"
)

// Why an index is not used, apart from its signature.
var (
	ErrOtherKey = errors.New("it is signed with another key")
	ErrExpired  = errors.New("it has expired")
	ErrRollback = errors.New("it is older than one that was seen before")
	ErrReused   = errors.New("its content changed, but its serial did not")
	ErrOther    = errors.New("it is another index")
)

// Pin is what is known about an index from before.
type Pin struct {
	// Key is the fingerprint of the only key that counts.
	Key string
	// Name is the name in the index, Serial the highest serial that was seen, and Hash the hash of that version. They are empty for an index that was not
	// seen before.
	Name   string
	Serial int64
	Hash   string
}

// Open verifies an index against what is known about it, and reads it. Nothing is read before the signature was verified.
func Open(text, armored []byte, pin Pin, now time.Time) (*Index, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%s has more than the limit of %d MB", FileName, MaxSize>>20)
	}
	by, err := signature.VerifyFile(text, armored, Namespace)
	if err != nil {
		return nil, fmt.Errorf("verifying %s: %w", SignatureName, err)
	}
	if by.Key != pin.Key {
		return nil, fmt.Errorf("%w: by %s, and the key of this source is %s", ErrOtherKey, by.Key, pin.Key)
	}
	x, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return x, x.follows(text, pin, now)
}

// follows returns an error if the index may not come after what is known.
func (x *Index) follows(text []byte, pin Pin, now time.Time) error {
	switch {
	case pin.Name != "" && x.Name != pin.Name:
		return fmt.Errorf("%w: it calls itself %q, and the one of this source %q", ErrOther, x.Name, pin.Name)
	case x.Serial < pin.Serial:
		return fmt.Errorf("%w: its serial is %d, and %d was seen", ErrRollback, x.Serial, pin.Serial)
	case x.Serial == pin.Serial && pin.Hash != "" && Hash(text) != pin.Hash:
		return fmt.Errorf("%w (%d)", ErrReused, x.Serial)
	}
	return x.Valid(now)
}

// Valid returns an error if the index may not be used at a time.
func (x *Index) Valid(now time.Time) error {
	const shown = "2006-01-02 15:04 MST"
	switch {
	case !now.Before(x.Expires):
		return fmt.Errorf("%w: on %s", ErrExpired, x.Expires.UTC().Format(shown))
	case x.Expires.Sub(now) > MaxValid:
		return fmt.Errorf("it expires on %s, and an index may be valid for at most %d days", x.Expires.UTC().Format(shown), MaxValid/(24*time.Hour))
	}
	return nil
}
