package install

import (
	"strings"
	"testing"

	"golang.org/x/crypto/ssh/knownhosts"
)

// TestHostKeys checks the commands that errors about host keys suggest. They depend on the port.
func TestHostKeys(t *testing.T) {
	t.Parallel()

	changed := &knownhosts.KeyError{Want: []knownhosts.KnownKey{{}}}
	tests := []struct {
		url  string
		err  error
		want string
	}{
		{"git@example.com:a/b", &knownhosts.KeyError{}, "`ssh git@example.com`"},
		{"ssh://me@example.com:22/a/b", &knownhosts.KeyError{}, "`ssh me@example.com`"},
		{"ssh://me@example.com:2222/a/b", &knownhosts.KeyError{}, "`ssh -p 2222 me@example.com`"},
		{"ssh://example.com/a/b", changed, "`ssh-keygen -R example.com`"},
		{"ssh://example.com:2222/a/b", changed, "`ssh-keygen -R '[example.com]:2222'`"},
	}
	for _, tt := range tests {
		s, err := parseSource(tt.url, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if got := explainSSH(tt.err, s, &keyring{}).Error(); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.url, got, tt.want)
		}
	}
}
