//go:build unix

package presets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/presets"
)

// machine is a home directory and a directory of tools. Paths of files begin with home/ or bin/.
type machine struct {
	dir     string
	environ []string
}

func newMachine(t *testing.T, files map[string]string) machine {
	t.Helper()
	m := machine{dir: t.TempDir()}
	m.environ = []string{"PATH=" + filepath.Join(m.dir, "bin") + ":/usr/bin:/bin", "HOME=" + m.home()}
	for path, text := range files {
		path = filepath.Join(m.dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m machine) home() string { return filepath.Join(m.dir, "home") }

// find returns the hosts and notes of a preset in lines, with the machine's directory as DIR.
func (m machine) find(t *testing.T, name string, writable ...string) string {
	t.Helper()
	found := presets.Find(t.Context(), presets.Options{Environ: m.environ, Home: m.home(), Etc: filepath.Join(m.dir, "etc"), Writable: writable}, name)
	var out []string
	for _, h := range found[0].Hosts {
		out = append(out, h.Pattern.String()+" "+h.Source)
	}
	for _, note := range found[0].Notes {
		out = append(out, "! "+note)
	}
	return strings.ReplaceAll(strings.Join(out, "\n"), m.dir, "DIR")
}

func TestFind(t *testing.T) {
	t.Parallel()
	const script = "#!/bin/sh\n"
	for name, tt := range map[string]struct {
		preset string
		files  map[string]string
		env    []string
		want   []string
	}{
		"go": {
			"go",
			map[string]string{"bin/go": script + `[ "$PWD$*" = "/env -json GOPROXY GOSUMDB GOPRIVATE" ] && [ "$GOTOOLCHAIN" = local ] && echo '{"GOPROXY":"https://user:secret@mirror.corp.example/go|http://10.0.0.5:8081,file:///mirror,direct","GOSUMDB":"sum.corp.example","GOPRIVATE":"git.corp.example/team,*.in.example"}'`},
			nil,
			[]string{
				"mirror.corp.example:443 go env GOPROXY", "10.0.0.5:8081 go env GOPROXY", "sum.corp.example:443 go env GOSUMDB",
				"git.corp.example go env GOPRIVATE", "*.in.example go env GOPRIVATE", "! a module that GOPROXY's",
			},
		},
		"go, other database": {"go", map[string]string{"bin/go": script + `echo '{"GOPROXY":"off","GOSUMDB":"key+abc https://sums.example:8443/x"}'`}, nil, []string{"sums.example:8443 go env GOSUMDB"}},
		"go fails":           {"go", map[string]string{"bin/go": script + "exit 3"}, nil, []string{"! go env -json GOPROXY GOSUMDB GOPRIVATE: "}},
		"npm": {
			"npm",
			map[string]string{"bin/npm": script + `[ "$PWD" = / ] && echo '{"registry":"https://npm.corp.example/","@team:registry":"http://npm.team.example:4873/","cache":"https://no.example"}'`},
			nil,
			[]string{"npm.team.example:4873 npm config list, @team:registry", "npm.corp.example:443 npm config list, registry"},
		},
		"npm prints other things": {"npm", map[string]string{"bin/npm": script + "echo hello"}, nil, []string{"! npm config list: "}},
		"pip's own default": {
			"pypi",
			map[string]string{"bin/python3": script + "case \"$*\" in '-I -m pip config list') echo \"global.timeout='5'\";; '-I -c '*) echo https://index.example/simple; echo https://files.example;; esac"},
			nil,
			[]string{"index.example:443 pip's own default", "files.example:443 pip's own default"},
		},
		"pip with a mirror": {
			"pypi",
			map[string]string{"bin/python3": script + `echo "global.index-url='https://pip.corp.example/simple'"; printf '%s\n' "global.extra-index-url='https://a.example/s\nhttps://b.example/s'"`},
			nil,
			[]string{
				"pip.corp.example:443 pip config list, global.index-url", "a.example:443 pip config list, global.extra-index-url",
				"b.example:443 pip config list, global.extra-index-url", "! an index can name other hosts",
			},
		},
		"crates": {
			"crates",
			map[string]string{"home/.cargo/config.toml": "[registries.corp]\nindex = 'sparse+https://cargo.corp.example/index/'\n[source.mirror]\nregistry = 'https://mirror.example/git'\n"},
			[]string{"CARGO_REGISTRIES_OTHER_INDEX=https://other.example/i"},
			[]string{
				"cargo.corp.example:443 DIR/home/.cargo/config.toml, registries.corp", "mirror.example:443 DIR/home/.cargo/config.toml, source.mirror",
				"other.example:443 the variable CARGO_REGISTRIES_OTHER_INDEX", "! cargo does not say",
			},
		},
		"debian": {"debian", map[string]string{"bin/apt-get": script + "[ \"$*\" = 'indextargets --format $(SITE)' ] && printf 'http://deb.corp.example\\nhttp://deb.corp.example\\nhttps://sec.example:8443\\n'"}, nil, []string{"deb.corp.example:80 apt-get indextargets", "sec.example:8443 apt-get indextargets"}},
		"maven": {
			"maven",
			map[string]string{"home/.m2/settings.xml": `<settings xmlns="x"><mirrors><mirror><id>a</id><mirrorOf>*</mirrorOf><url>https://maven.corp.example/r</url></mirror></mirrors>
<profiles><profile><repositories><repository><url>https://repo.example/r</url></repository></repositories></profile></profiles></settings>`},
			nil,
			[]string{"maven.corp.example:443 DIR/home/.m2/settings.xml, mirrors", "repo.example:443 DIR/home/.m2/settings.xml, profiles"},
		},
		"maven without settings": {"maven", map[string]string{"etc/maven/settings.xml": `<settings><mirrors><mirror><mirrorOf>external:http:*</mirrorOf><url>http://0.0.0.0/</url><blocked>true</blocked></mirror></mirrors></settings>`}, nil, []string{"! mvn does not say which repository it uses"}},
		"github": {
			"github",
			map[string]string{
				"home/.config/gh/hosts.yml": "git.corp.example:\n  user: me\n",
				"home/.gitconfig":           "[credential \"https://forge.example\"]\n\thelper = !/usr/bin/gh auth git-credential\n[url \"ssh://git@github.corp2.example/\"]\n\tinsteadOf = x\n[credential \"https://lab.example\"]\n\thelper = store\n",
			},
			[]string{"GH_HOST=ghe.example"},
			[]string{
				"git.corp.example DIR/home/.config/gh/hosts.yml", "*.git.corp.example DIR/home/.config/gh/hosts.yml",
				"ghe.example the variable GH_HOST", "*.ghe.example the variable GH_HOST",
				"forge.example DIR/home/.gitconfig, credential", "*.forge.example DIR/home/.gitconfig, credential",
				"github.corp2.example DIR/home/.gitconfig, url", "*.github.corp2.example DIR/home/.gitconfig, url",
			},
		},
		"gitlab": {
			"gitlab",
			map[string]string{"home/.config/glab-cli/config.yml": "hosts:\n  gitlab.corp.example:\n    token: x\n"},
			nil,
			[]string{"gitlab.corp.example DIR/home/.config/glab-cli/config.yml", "*.gitlab.corp.example DIR/home/.config/glab-cli/config.yml"},
		},
		"no gitlab":     {"gitlab", nil, nil, []string{"! neither the settings of glab nor yours of git name a host"}},
		"not a host":    {"npm", map[string]string{"bin/npm": script + `echo '{"registry":"https://a_\u0000b.example/"}'`}, nil, []string{"! no host was found"}},
		"damaged files": {"crates", map[string]string{"home/.cargo/config.toml": "[x"}, nil, []string{"! DIR/home/.cargo/config.toml: ", "! cargo does not say"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, tt.files)
			m.environ = append(m.environ, tt.env...)
			lines := strings.Split(m.find(t, tt.preset), "\n")
			if len(lines) != len(tt.want) {
				t.Fatalf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(tt.want, "\n"))
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, tt.want[i]) {
					t.Errorf("got  %s\nwant %s", line, tt.want[i])
				}
			}
		})
	}
}

// TestConfinedCodeWidensNothing checks that a tool, or settings, that confined code can write are not used.
func TestConfinedCodeWidensNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, map[string]string{
		"work/bin/npm":       "#!/bin/sh\necho '{\"registry\":\"https://evil.example\"}'",
		"work/bin/node":      "#!/bin/sh\necho '{\"registry\":\"https://evil.example\"}'",
		"bin/npm":            "#!/usr/bin/env node\n",
		"home/work/.npmrc":   "registry=https://evil.example",
		"home/.cargo/config": "[registries.evil]\nindex = 'https://evil.example'\n",
	})
	work := filepath.Join(m.dir, "work")
	m.environ[0] = "PATH=" + filepath.Join(work, "bin") + ":work/bin:" + filepath.Join(m.dir, "bin") + ":/usr/bin:/bin"
	if got := m.find(t, "npm", work); strings.Contains(got, "evil") {
		t.Error(got)
	}
	if got := m.find(t, "crates", m.home()); strings.Contains(got, "evil") || !strings.Contains(got, "tools can write your home directory") {
		t.Error(got)
	}
	if got := m.find(t, "crates", filepath.Join(m.home(), ".cargo")); strings.Contains(got, "evil") {
		t.Error(got)
	}
	m.environ[0] = "PATH=" + filepath.Join(m.dir, "none")
	if got := m.find(t, "npm"); got != "! npm is not installed" {
		t.Error(got)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	p, err := network.Parse("a.example:443")
	if err != nil {
		t.Fatal(err)
	}
	got := presets.Hosts([]presets.Preset{{Name: "go", Hosts: []presets.Host{{Pattern: p}}}, {Name: "npm"}})
	if len(got) != 1 || len(got["go"]) != 1 || got["go"][0] != p {
		t.Errorf("%v", got)
	}
}

// TestEveryPreset checks that each preset is looked for.
func TestEveryPreset(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.environ = m.environ[1:]
	found := presets.Find(t.Context(), presets.Options{Environ: m.environ, Home: m.home()}, network.PresetNames()...)
	for i, name := range network.PresetNames() {
		if found[i].Name != name || len(found[i].Hosts)+len(found[i].Notes) == 0 {
			t.Errorf("%s: %+v", name, found[i])
		}
	}
}
