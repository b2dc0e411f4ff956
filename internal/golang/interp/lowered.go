package interp

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// loweredSource is the result of lowering a source. It is kept by aura, which does not look into it, and used when the same source
// is loaded again.
type loweredSource struct {
	// Digest identifies the source that was lowered.
	Digest []byte
	// Standard lists the standard library packages that the lowered texts import.
	Standard []string
	// Packages holds the lowered texts of each package, in the order of the source's packages.
	Packages [][][]byte
}

// digest identifies everything that lowering depends on, besides the version of aura.
func (s *source) digest() []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %t\n", s.Dir, s.Module, s.Unsafe)
	for _, p := range s.Packages {
		fmt.Fprintf(h, "%q %d\n", p.Path, len(p.Files))
		for _, f := range p.Files {
			fmt.Fprintf(h, "%q %d\n", f.Path, len(f.Text))
			h.Write(f.Text)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Embedded)) {
			fmt.Fprintf(h, "%q %q\n", name, p.Embedded[name])
		}
	}
	return h.Sum(nil)
}

// encodeLowered returns the lowered source in the form that useLowered reads.
func (s *source) encodeLowered() ([]byte, error) {
	b, err := cbor.Marshal(loweredSource{Digest: s.digest(), Standard: s.standard, Packages: s.texts})
	if err != nil {
		return nil, fmt.Errorf("encoding the lowered source: %w", err)
	}
	return b, nil
}

// useLowered takes over a lowered source and reports whether it belongs to this source. Anything else counts as missing.
func (s *source) useLowered(b []byte) bool {
	var in loweredSource
	if len(b) == 0 || cbor.Unmarshal(b, &in) != nil || len(in.Packages) != len(s.Packages) || !bytes.Equal(in.Digest, s.digest()) {
		return false
	}
	s.standard, s.texts = in.Standard, in.Packages
	return true
}
