package cli

import (
	"bytes"
	"testing"

	"github.com/idelchi/aura/internal/base/redact"
)

// TestNotices checks the redaction of notices: a notice may quote the address or the answer of a provider while models are
// listed.
func TestNotices(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"s3cr3t-0f-the-h0use":  "! the key " + hidden + " is old\n",
		"an0ther-s3cr3t-v4lue": "! the key s3cr3t-0f-the-h0use is old\n",
	} {
		var out bytes.Buffer
		notices(&out, mask{known: redact.NewWithMark(hidden, value)})("the key \x1b[31ms3cr3t-0f-the-h0use\x1b[0m is old")
		if out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	}
}
