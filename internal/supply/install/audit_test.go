package install

import (
	"fmt"
	"strings"
	"testing"
)

// TestChanges compares locks, as the audit log reports what differs.
func TestChanges(t *testing.T) {
	t.Parallel()
	one := locked{URL: "https://example.com/x", Commit: "c1", Hash: "h1"}
	with := func(change func(*locked)) locked {
		e := one
		change(&e)
		return e
	}
	for name, row := range map[string]struct {
		before, after map[string]locked
		want          string
	}{
		"nothing":  {map[string]locked{"x": one}, map[string]locked{"x": one}, ""},
		"added":    {nil, map[string]locked{"x": one}, "added x h1 https://example.com/x c1 in /home"},
		"removed":  {map[string]locked{"x": one}, nil, "removed x h1 https://example.com/x c1 in /home"},
		"disabled": {map[string]locked{"x": one}, map[string]locked{"x": with(func(e *locked) { e.Disabled = true })}, ""},
		"updated": {
			map[string]locked{"x": one},
			map[string]locked{"x": with(func(e *locked) {
				e.Hash, e.Commit, e.Signed = "h2", "c2", &Signed{Signer: "alice", Key: "SHA256:k", Object: "commit"}
			})},
			"updated x h2 https://example.com/x c2 in /home, signed by alice, SHA256:k (commit)",
		},
		"another commit of the same files": {
			map[string]locked{"x": one}, map[string]locked{"x": with(func(e *locked) { e.Commit = "c2" })}, "updated x h1 https://example.com/x c2 in /home",
		},
		"trusted": {
			map[string]locked{"x": one},
			map[string]locked{"x": with(func(e *locked) { e.Hash, e.Installed = "h2", map[string]string{} })},
			"changes accepted x h2 https://example.com/x c1 in /home",
		},
		"two": {
			map[string]locked{"b": {Hash: "h"}}, map[string]locked{"a": {Hash: "h"}}, "added a h in /home; removed b h in /home",
		},
	} {
		var got []string
		for _, f := range changes("/home", row.before, row.after) {
			got = append(got, fmt.Sprint(f.Action, " ", f.Name, " ", f.Hash, " ", f.Text))
		}
		if all := strings.Join(got, "; "); all != row.want {
			t.Errorf("%s: %q, want %q", name, all, row.want)
		}
	}
}
