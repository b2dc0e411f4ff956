package install

import (
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// TestRefs resolves everything that git accepts as a commit. There are two commits; a tag and a branch of the same name refer
// to one each.
func TestRefs(t *testing.T) {
	t.Parallel()

	url := committed(t, sound())
	dir := strings.TrimPrefix(url, "file://")
	r, err := git.PlainOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	one := head.Hash()
	who := &object.Signature{Name: "a", Email: "a@example.com"}
	tag, err := r.CreateTag("both", one, &git.CreateTagOptions{Message: "m", Tagger: who})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	two, err := tree.Commit("two", &git.CommitOptions{Author: who, AllowEmptyCommits: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Storer.SetReference(plumbing.NewHashReference("refs/heads/both", two)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		ref  string
		want string // the commit, or the error
	}{
		{"", two.String()},
		{"HEAD", two.String()},
		{"both", one.String()},
		{"tags/both", one.String()},
		{"refs/tags/both", one.String()},
		{"heads/both", two.String()},
		{"refs/heads/both", two.String()},
		{one.String(), one.String()},
		{strings.ToUpper(one.String()), one.String()},
		{one.String()[:12], one.String()},
		{tag.Hash().String(), one.String()}, // as git rev-parse prints it for an annotated tag
		{"nosuch", `there is no branch or tag "nosuch"; there are: both, master`},
		{strings.Repeat("0", 39) + "1", "on any branch or tag"},
		{"00000000", "there is no branch, tag or commit 00000000"},
	}
	for _, tt := range tests {
		got := ""
		if c, err := openFile(source{dir: dir}, tt.ref); err != nil {
			got = err.Error()
		} else {
			got = c.commit.Hash.String()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%q: got %s, want %s", tt.ref, got, tt.want)
		}
	}
}
