package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGitScripts checks which files of a working directory are protected because settings of Git name them.
func TestGitScripts(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string][]string{
		`filter.x.clean = ./tools/strip.sh`:                  {"tools/strip.sh"},
		`filter.x.clean = tools/strip.sh %f`:                 {"tools/strip.sh"},
		`filter.x.process = sh tools/strip.sh --x`:           {"tools/strip.sh"},
		`filter.x.smudge = sh run.sh`:                        {"run.sh"},
		`diff.x.textconv = python3 'tools/strip.sh'`:         {"tools/strip.sh"},
		`merge.x.driver = env A=./run.sh tools/absent %O %A`: {"run.sh"},
		`alias.x = "!f() { ./run.sh; }; f"`:                  {"run.sh"},
		`alias.x = log main`:                                 nil,
		`alias.x = -c core.pager=./run.sh log`:               {"run.sh"},
		`core.sshCommand = ssh -F run.sh`:                    {"run.sh"},
		`core.fsmonitor = ./absent`:                          {"absent"},
		`core.attributesFile = ~/more`:                       {"../home/more"},
		`gpg.program = /usr/bin/env`:                         nil,
		`credential.helper = !./run.sh`:                      {"run.sh"},
		`neverheard.of = tools/strip.sh`:                     {"tools/strip.sh"},
		`core.pager = main`:                                  nil,
		`branch.main.merge = refs/heads/main`:                nil,
		`remote.o.url = tools/strip.sh`:                      nil,
		`url.x.insteadOf = https://host/x`:                   nil,
		`user.name = a main`:                                 nil,
	} {
		base := resolve(t.TempDir())
		work, home := filepath.Join(base, "work"), filepath.Join(base, "home")
		name, value, _ := strings.Cut(setting, " = ")
		section, key := name[:strings.LastIndex(name, ".")], name[strings.LastIndex(name, ".")+1:]
		if first, sub, ok := strings.Cut(section, "."); ok {
			section = fmt.Sprintf("%s %q", first, sub)
		}
		for path, text := range map[string]string{
			"work/tools/strip.sh": "", "work/run.sh": "", "work/main": "", "home/more": "", "work/.git/HEAD": "", "work/.git/refs/heads/main": "",
			"work/.git/config": "[" + section + "]\n" + key + " = " + value + "\n",
		} {
			path = filepath.Join(base, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, path := range GitPaths(work, home).Files {
			rel, err := filepath.Rel(work, path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rel)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s protects %q, want %q", setting, got, want)
		}
	}
}

// TestManyGitScripts names more scripts than are protected.
func TestManyGitScripts(t *testing.T) {
	t.Parallel()
	work := resolve(t.TempDir())
	var b strings.Builder
	for i := range maxScripts + 9 {
		fmt.Fprintf(&b, "[alias]\na%d = !./s%d\n", i, i)
	}
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config", "config.worktree"} {
		if err := os.WriteFile(filepath.Join(work, ".git", name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := GitPaths(work, "")
	if len(found.Files) != maxScripts || len(found.Uncovered) != 1 || !strings.Contains(found.Uncovered[0], "more than 256 scripts") {
		t.Errorf("%d files, %q", len(found.Files), found.Uncovered)
	}
}
