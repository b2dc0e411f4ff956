package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/audit"
)

// RecordOnce writes to the audit log that everything in a directory takes effect in one run, without a consent that is stored.
func RecordOnce(dir, by string) error {
	return audit.Record(audit.Fact{Kind: audit.Consent, Action: "given for this run", Name: dir, By: by})
}

// fact describes a change of the consent for a directory. Its hash is that of the files that a pinned consent covers.
func (c Consent) fact(action, dir string) audit.Fact {
	f := audit.Fact{Kind: audit.Consent, Action: action, Name: dir, By: "user", Text: "all of " + strings.Join(c.Sources, ", ")}
	if !c.Pinned() {
		return f
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		fmt.Fprintf(h, "%s\x00%s\x00", name, c.Files[name])
	}
	f.Hash, f.Text = "sha256:"+hex.EncodeToString(h.Sum(nil)), plaintext.Counted(len(c.Files), "file")+" as they are"
	return f
}
