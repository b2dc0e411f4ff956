package gitconfig_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/gitconfig"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                       nil,
		"[core]\n\tbare = false\n":               {"core.bare=false"},
		"\xef\xbb\xbf[core]\r\nbare\r\n":         {"core.bare=true"},
		"[Remote \"A.b\"] URL=x y # c":           {"remote.A.b.url=x y"},
		"[a.B]\nc=1;d\n":                         {"a.b.c=1"},
		"[a]\n# x \\\nb=c\\\nd\n":                {"a.b=cd"},
		"[a]\nb=\"x # y\" \\\"z\\t\n":            {"a.b=x # y \"z\t"},
		"[a]\nb=  x  \" y \" \n":                 {"a.b=x   y "},
		"[a]\nb=\"x\\n\" \n":                     {"a.b=x\n"},
		"[a \"q\\\"\\\\\"]b=":                    {"a.q\"\\.b="},
		"[a]\nb = x # c \\\n[core]\nfsmonitor=y": {"a.b=x", "core.fsmonitor=y"},
	} {
		got, err := gitconfig.Parse([]byte(text))
		if err != nil || !slices.Equal(lines(got), want) {
			t.Errorf("%q: %q, %v; want %q", text, lines(got), err, want)
		}
	}
	for _, text := range []string{"x=y", "[a", "[a]\n!", "[a]\nb c", "[a]\nb=\"x\n", "[a]\nb=\\x", "[a]\nb=\x00", "[\"a\"]b=c", "[a \"b]c=d", "[]\na=b"} {
		if got, err := gitconfig.Parse([]byte(text)); err == nil {
			t.Errorf("%q: %q", text, lines(got))
		}
	}
}

func lines(all []gitconfig.Setting) []string {
	var out []string
	for _, s := range all {
		out = append(out, s.Name()+"="+s.Value)
	}
	return out
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"[core]bare=true": true, "[core]fsmonitor=x": false, "[core]fsmonitor=false": true, "[core \"x\"]bare=true": false,
		"[remote \"o\"]url=https://host/x": true, "[remote \"o\"]url=ext::sh -c x": false, "[remote \"o\"]uploadpack=x": false,
		"[submodule \"m\"]update=!x": false, "[submodule \"m\"]update=merge": true, "[alias]x=y": false, "[include]path=x": false,
		"[includeIf \"gitdir:/\"]path=x": false, "[filter \"x\"]clean=y": false, "[diff]external=x": false, "[diff]algorithm=patience": true,
		"[user]name=x": true, "[user]signingkey=x": false, "[neverheard]of=it": false, "[branch \"m\"]merge=refs/heads/m": true, "[advice]detachedHead=false": true,
	} {
		all, err := gitconfig.Parse([]byte(text))
		if err != nil || len(all) != 1 || all[0].Harmless() != want {
			t.Errorf("%s: %v, %v", text, all, err)
		}
	}
}

// FuzzParse compares the parser with Git: it never overlooks a setting that Git finds.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"[core]\n\tbare = false\n", "[a \"b\"]c=d ; e", "[a]b=\"c\\n\"\\\n d", "[a.B \"c\"] d", "\xef\xbb\xbf[a]\r\nb=c\r\n#d\\\ne=f"} {
		f.Add(seed)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := gitconfig.Parse([]byte(text))
		if err != nil {
			return // it counts as one that runs something
		}
		file := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(git, "config", "--file", file, "--null", "--list", "--no-includes")
		cmd.Env = []string{"HOME=" + t.TempDir()}
		out, err := cmd.Output()
		if err != nil {
			return // Git does not run with it
		}
		var want, mine []string
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if name, value, ok := strings.Cut(entry, "\n"); entry != "" && ok {
				want = append(want, name+"="+plain(value))
			} else if entry != "" {
				want = append(want, entry+"=true")
			}
		}
		for _, s := range got {
			mine = append(mine, s.Name()+"="+plain(s.Value))
		}
		if !slices.Equal(mine, want) {
			t.Errorf("%q: %q, but Git reads %q", text, mine, want)
		}
	})
}

// plain returns a value with single spaces. Versions of Git differ in what they make of tabs.
func plain(value string) string { return strings.Join(strings.Fields(value), " ") }
