package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"text/template"
)

// relativeLink matches a link of a Markdown page that is neither an address nor a place on the same page.
var relativeLink = regexp.MustCompile(`\]\(()((?:docs/|examples/|\.aura/|[A-Z]+(?:\.md)?\b)[^)]*)\)`)

// relativePicture matches the file of a picture on a Markdown page.
var relativePicture = regexp.MustCompile(`\b(src|srcset)="(docs/[^"]*)"`)

// formula is the Homebrew formula. A platform without an archive has no part in it.
var formula = template.Must(template.New("formula").Parse(`# Made by tools/release of aura {{.Version}}.
class Aura < Formula
  desc "{{.Summary}}"
  homepage "https://github.com/idelchi/aura"
  version "{{.Version}}"
  license "MIT"
{{range .Systems}}
  {{.On}} do
{{- range .Archives}}
    {{.On}} do
      url "{{.URL}}"
      sha256 "{{.SHA256}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "aura", "aura-plugin-host", "aura-tool-host"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/aura.bash" => "aura"
    fish_completion.install "completions/aura.fish"
    zsh_completion.install "completions/_aura"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/aura version")
    system bin/"aura", "run", "--provider", "demonstration", "--home", "", "What is here?"
  end
end
`))

// download is an archive as a template and Scoop see it.
type download struct{ On, URL, SHA256 string }

type brewSystem struct {
	On       string
	Archives []download
}

// installers writes the Homebrew formula and the Scoop manifest, for those platforms that the release has.
func (r *releaser) installers() error {
	var systems []brewSystem
	for _, s := range []struct{ on, system string }{{"on_macos", "darwin"}, {"on_linux", "linux"}} {
		if list := r.downloads(s.system, map[string]string{"arm64": "on_arm", "amd64": "on_intel"}); len(list) > 0 {
			systems = append(systems, brewSystem{s.on, list})
		}
	}
	if len(systems) > 0 {
		var out bytes.Buffer
		if err := formula.Execute(&out, map[string]any{"Version": r.src.version, "Summary": "Coding agent for the terminal with plugins in processes of their own", "Systems": systems}); err != nil {
			return err
		}
		if err := r.text("aura.rb", out.Bytes()); err != nil {
			return err
		}
	}
	windows := r.downloads("windows", map[string]string{"arm64": "arm64", "amd64": "64bit"})
	if len(windows) == 0 {
		return nil
	}
	data, err := json.MarshalIndent(r.scoop(windows), "", "    ")
	if err != nil {
		return err
	}
	return r.text("aura.json", append(data, '\n'))
}

// downloads returns the archives of a system, with the names that an installer gives to architectures.
func (r *releaser) downloads(system string, names map[string]string) []download {
	var out []download
	for _, arch := range []string{"arm64", "amd64"} {
		if a, ok := r.archiveOf(platform{system, arch}); ok {
			out = append(out, download{names[arch], fmt.Sprintf("%s/v%s/%s", r.url, r.src.version, a.name), a.sha256})
		}
	}
	return out
}

type (
	scoopManifest struct {
		Version      string                   `json:"version"`
		Description  string                   `json:"description"`
		Homepage     string                   `json:"homepage"`
		License      string                   `json:"license"`
		Architecture map[string]scoopDownload `json:"architecture"`
		Bin          []string                 `json:"bin"`
	}
	scoopDownload struct {
		URL        string `json:"url"`
		Hash       string `json:"hash"`
		ExtractDir string `json:"extract_dir"`
	}
)

func (r *releaser) scoop(list []download) scoopManifest {
	m := scoopManifest{
		Version: r.src.version, Description: summary, Homepage: "https://github.com/idelchi/aura", License: "MIT",
		Architecture: map[string]scoopDownload{}, Bin: []string{"aura.exe", "aura-plugin-host.exe", "aura-tool-host.exe"},
	}
	goArch := map[string]string{"64bit": "amd64", "arm64": "arm64"}
	for _, d := range list {
		dir := fmt.Sprintf("aura-%s-windows-%s", r.src.version, goArch[d.On])
		m.Architecture[d.On] = scoopDownload{URL: d.URL, Hash: d.SHA256, ExtractDir: dir}
	}
	return m
}
