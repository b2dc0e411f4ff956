package gitconfig_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/gitconfig"
)

// repository is a file as Git writes it.
const repository = `[core]
	bare = false
# the servers
[remote "origin"]
	url = https://host/x
[branch "main"]
	remote = origin # here
	merge = refs/heads/main
	vscode-merge-base = origin/main
; the end
`

func TestMergeBranches(t *testing.T) {
	t.Parallel()
	change := func(old, new string) string { return strings.Replace(repository, old, new, 1) }
	dos := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	ours := "[branch \"main\"]\n\tremote = origin # here\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n; the end\n"
	plain := "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main\n"
	rows := map[string]struct {
		base, copied, file, want string
		refused, conflicts       string
	}{
		"nothing":  {copied: repository, want: repository},
		"layout":   {copied: change(" # here", ""), want: repository},
		"renamed":  {copied: change(`"main"`, `"new"`), want: change(ours, "") + strings.Replace(plain, "main", "new", 1)},
		"copied":   {copied: repository + strings.Replace(plain, "main", "new", 1), want: repository + strings.Replace(plain, "main", "new", 1)},
		"deleted":  {copied: change(ours, ""), want: change(ours, "")},
		"upstream": {copied: repository + "[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/main\n", want: repository + "[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/main\n"},
		"replaced": {
			copied: change("refs/heads/main", "refs/heads/next"),
			want:   change("\tremote = origin # here\n\tmerge = refs/heads/main\n", "\tremote = origin\n\tmerge = refs/heads/next\n"),
		},
		"push":        {copied: repository + "[branch \"x\"]PUSHREMOTE=origin", want: repository + "[branch \"x\"]\n\tpushRemote = origin\n"},
		"rebase":      {copied: repository + "[branch \"x\"]rebase=merges", want: repository + "[branch \"x\"]\n\trebase = merges\n"},
		"description": {copied: repository + "[branch \"x\"]description=\"a;\\\"b\\n\"", want: repository + "[branch \"x\"]\n\tdescription = \"a;\\\"b\\n\"\n"},
		"odd name":    {copied: repository + "[branch \"a]\\\"#;b\"]remote=.", want: repository + "[branch \"a]\\\"#;b\"]\n\tremote = .\n"},
		"same line": {
			base: "[branch \"a\"] remote = .\n\trebase\n", copied: "[branch \"a\"] remote = .\n",
			want: "[branch \"a\"]\n\tremote = .\n",
		},
		"two sections": {
			base: "[branch \"a\"]\nremote=.\n[core]\nbare\n[branch \"a\"]\nrebase\n", copied: "[core]\nbare\n[branch \"a\"]\nremote=.\n",
			want: "[branch \"a\"]\n\tremote = .\n[core]\nbare\n",
		},
		"no end of line":    {base: "[core]\nbare", copied: "[core]\nbare\n[branch \"a\"]remote=.", want: "[core]\nbare\n[branch \"a\"]\n\tremote = .\n"},
		"comment at end":    {base: "# x", copied: "[branch \"a\"]remote=.", want: "# x\n[branch \"a\"]\n\tremote = .\n"},
		"the user's change": {copied: change(`"main"`, `"new"`), file: repository + "[user]\nname=x\n", want: change(ours, "[user]\nname=x\n") + strings.Replace(plain, "main", "new", 1)},
		"both changed":      {copied: change("merge = refs/heads/main", "merge = refs/heads/a"), file: change("merge = refs/heads/main", "merge = refs/heads/b"), want: change("merge = refs/heads/main", "merge = refs/heads/b"), conflicts: "main"},
		"both the same":     {copied: change("\tremote = origin # here\n", ""), file: change("\tremote = origin # here\n", ""), want: change("\tremote = origin # here\n", "")},

		"returns": {
			base: dos(repository), copied: dos(repository) + "[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/a\n",
			want: dos(repository + "[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/a\n"),
		},
		"returns, renamed": {
			base: dos(repository), copied: strings.Replace(dos(repository), `"main"`, `"new"`, 1),
			want: dos(change(ours, "") + strings.Replace(plain, "main", "new", 1)),
		},
		"returns, replaced": {
			base: dos(repository), copied: strings.Replace(dos(repository), "refs/heads/main", "refs/heads/next", 1),
			want: dos(change("\tremote = origin # here\n\tmerge = refs/heads/main\n", "\tremote = origin\n\tmerge = refs/heads/next\n")),
		},
		"returns, mixed": {
			base:   "[core]\n\tbare\r\n[branch \"a\"]\r\n\trebase = a \\\r\n b\r\n\n\tremote = .\n[branch \"b\"]\n\tremote = .\r\n# x\r\n",
			copied: "[core]\n\tbare\n[branch \"b\"]\n\tremote = .\n\trebase = true\n",
			want:   "[core]\n\tbare\r\n[branch \"b\"]\n\tremote = .\n\trebase = true\n# x\r\n",
		},
		"returns, kept": {
			base:   "[core]\n\tbare\r\n[branch \"a\"]\r\n# y\r\n\n\tremote = .\r\n; z\n[user]\r\n\tname = \"x\r\"\r",
			copied: "[core]\n\tbare\n[branch \"a\"]\n\tremote = .\n\trebase = true\n[user]\n\tname = \"x\r\"",
			want:   "[core]\n\tbare\r\n[branch \"a\"]\n\tremote = .\n\trebase = true\r\n# y\r\n\n; z\n[user]\r\n\tname = \"x\r\"\r",
		},
		"returns, no end of line": {
			base: "[core]\r\nbare", copied: "[core]\nbare\n[branch \"a\"]remote=.", want: "[core]\r\nbare\r\n[branch \"a\"]\r\n\tremote = .\r\n",
		},
		"other breaks than before": {
			copied: repository + "[branch \"x\"]remote=.", file: dos(repository), want: dos(repository + "[branch \"x\"]\n\tremote = .\n"),
		},
		"byte order mark": {
			base: "\ufeff[core]\r\n", copied: "[core]\n[branch \"a\"]remote=.", want: "\ufeff[core]\r\n[branch \"a\"]\r\n\tremote = .\r\n",
		},

		"runs a program":      {copied: repository + "[core]fsmonitor=x", refused: "core.fsmonitor"},
		"an alias":            {copied: repository + "[alias]x=!y", refused: "alias.x"},
		"an include":          {copied: "[include]path=x\n" + repository, refused: "include.path"},
		"a removed setting":   {copied: change("\tbare = false\n", ""), refused: "core.bare"},
		"another address":     {copied: change("host/x", "evil/x"), refused: "remote.origin.url"},
		"all branches":        {copied: repository + "[branch]autosetuprebase=always", refused: "branch.autosetuprebase"},
		"an unknown remote":   {copied: repository + "[branch \"x\"]remote=upstream", refused: "branch.x.remote"},
		"an address":          {copied: repository + "[branch \"x\"]remote=ext::sh -c x", refused: "branch.x.remote"},
		"a planted remote":    {copied: repository + "[remote \"e\"]url=ext::x\n[branch \"x\"]remote=e", refused: "remote.e.url branch.x.remote"},
		"not a ref":           {copied: repository + "[branch \"x\"]merge=--upload-pack=x", refused: "branch.x.merge"},
		"options":             {copied: repository + "[branch \"x\"]mergeoptions=-s x", refused: "branch.x.mergeoptions"},
		"escapes":             {copied: repository + "[branch \"x\"]description=\x1b[2J", refused: "branch.x.description"},
		"not a branch":        {copied: repository + "[branch \"-x\"]remote=.", refused: "branch.-x.remote"},
		"a name with a space": {copied: repository + "[branch \"x y\"]remote=.", refused: "branch.x y.remote"},
		"a refused value":     {copied: change("remote = origin # here", "remote = evil"), refused: "branch.main.remote"},
		"one of two": {
			copied: change("merge = refs/heads/main", "merge = refs/heads/next\n\tmergeoptions = x"),
			want:   change("\tremote = origin # here\n\tmerge = refs/heads/main\n", "\tremote = origin\n\tmerge = refs/heads/next\n"), refused: "branch.main.mergeoptions",
		},
	}
	for name, row := range rows {
		if row.base == "" {
			row.base = repository
		}
		if row.file == "" {
			row.file = row.base
		}
		if row.want == "" {
			row.want = row.file
		}
		got, err := gitconfig.MergeBranches([]byte(row.base), []byte(row.copied), []byte(row.file))
		if err != nil || string(got.Text) != row.want || strings.Join(got.Refused, " ") != row.refused || strings.Join(got.Conflicts, " ") != row.conflicts {
			t.Errorf("%s: refused %q, conflicts %q, %v\n%s\nwant\n%s", name, got.Refused, got.Conflicts, err, got.Text, row.want)
		}
	}
	for name, row := range map[string][3]string{
		"the copy is not Git's": {repository, repository + "[branch \"a\nb\"]remote=.", repository},
		"the file is not Git's": {repository, repository + "[branch \"x\"]remote=.", repository + "!"},
	} {
		if got, err := gitconfig.MergeBranches([]byte(row[0]), []byte(row[1]), []byte(row[2])); err == nil {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
}

// FuzzMergeBranches merges whatever a copy contains. The result has the settings of the file, except for those of branches, which are as in
// the copy unless they are refused. The ends of lines change nothing, and where all lines end alike, they still do.
func FuzzMergeBranches(f *testing.F) {
	for _, seed := range []string{
		"[branch \"a]\\\"\"]\n\tremote = .\n\tdescription = \" x;\\n\\t\\\\ \"\n", "[branch \"b\"] merge = refs/heads/x # y\n[core]\nbare", "[branch \"main\"]\nrebase", "[branch.x]\nremote=.",
		"\ufeff[core]\r\n[branch \"b\"]\r\n# x\r\n\tmerge = refs/\\\r\nx\n[branch \"b\"]remote = .\r\r\n[core]bare\r",
	} {
		f.Add(repository, seed)
		f.Add(seed, repository)
	}
	f.Fuzz(func(t *testing.T, file, copied string) {
		got, err := gitconfig.MergeBranches([]byte(file), []byte(copied), []byte(file))
		if err != nil {
			for _, text := range []string{file, copied} {
				if _, bad := gitconfig.Parse([]byte(text)); bad != nil {
					return
				}
			}
			t.Fatalf("%q, %q: %v", file, copied, err)
		}
		mine, theirs, now := settings(t, file), settings(t, copied), settings(t, string(got.Text))
		if unix := strings.ReplaceAll(file, "\r\n", "\n"); !strings.Contains(unix, "\r\n") {
			same, err := gitconfig.MergeBranches([]byte(unix), []byte(copied), []byte(unix))
			if err != nil || string(same.Text) != strings.ReplaceAll(string(got.Text), "\r\n", "\n") {
				t.Errorf("%q, %q: %q, with other ends of lines %q: %v", file, copied, got.Text, same.Text, err)
			}
			if lines := strings.Count(file, "\n"); lines > 0 && lines == strings.Count(file, "\r\n") && strings.Count(string(got.Text), "\n") != strings.Count(string(got.Text), "\r\n") {
				t.Errorf("%q, %q: %q", file, copied, got.Text)
			}
		}
		isBranch := func(s gitconfig.Setting) bool { return s.Section == "branch" && s.Sub != "" }
		if others := slices.DeleteFunc(slices.Clone(mine), isBranch); !slices.Equal(others, slices.DeleteFunc(slices.Clone(now), isBranch)) {
			t.Errorf("%q, %q: %q", file, copied, got.Text)
		}
		for _, s := range now {
			if isBranch(s) && !slices.Contains(mine, s) && !slices.Contains(theirs, s) {
				t.Errorf("%q, %q: %q is from nowhere", file, copied, s)
			}
		}
		for _, s := range theirs {
			if isBranch(s) && !slices.Contains(now, s) && !slices.Contains(got.Refused, s.Name()) {
				t.Errorf("%q, %q: %q is lost", file, copied, s)
			}
		}
	})
}

func settings(t *testing.T, text string) []gitconfig.Setting {
	t.Helper()
	all, err := gitconfig.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return all
}
