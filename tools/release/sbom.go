package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/idelchi/aura/tools/release/internal/license"
)

// module is a Go module that is linked into a program of the release.
type module struct {
	path, version string
	// sum is the hash by which go.sum pins it.
	sum string
	// programs and platforms are where it is linked.
	programs, platforms []string
	licenses            []string
}

// own is the beginning of the paths of our own modules.
const own = "github.com/idelchi/aura"

// linked reads from the programs which modules they consist of.
func linked(b build) ([]module, error) {
	found := map[string]*module{}
	for _, p := range b.platforms {
		for _, name := range programs {
			info, err := buildinfo.ReadFile(b.program(p, name))
			if err != nil {
				return nil, fmt.Errorf("reading the modules of %s for %s: %w", name, p, err)
			}
			for _, d := range info.Deps {
				if d.Path == own || strings.HasPrefix(d.Path, own+"/") {
					continue
				}
				if d.Replace != nil {
					return nil, fmt.Errorf("%s is replaced by %s: a release is made from public modules", d.Path, d.Replace.Path)
				}
				m := found[d.Path]
				if m == nil {
					m = &module{path: d.Path, version: d.Version, sum: d.Sum}
					found[d.Path] = m
				}
				m.programs = append(m.programs, name)
				m.platforms = append(m.platforms, p.String())
			}
		}
	}
	var out []module
	for _, m := range found {
		slices.Sort(m.programs)
		m.programs = slices.Compact(m.programs)
		slices.Sort(m.platforms)
		m.platforms = slices.Compact(m.platforms)
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return out, nil
}

// describe finds the licenses of modules, and returns their texts as one.
func describe(ctx context.Context, root string, modules []module) ([]byte, error) {
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.path)
	}
	dirs := map[string]string{}
	if len(modules) > 0 {
		text, err := command(ctx, root, goEnv(platform{runtime.GOOS, runtime.GOARCH}), "go", args...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
			dirs[path] = dir
		}
	}
	var out bytes.Buffer
	out.WriteString("aura is linked with the Go standard library and with the modules below. These are their licenses and notices.\n")
	text, err := goLicense()
	if err != nil {
		return nil, err
	}
	heading(&out, "Go standard library, LICENSE")
	out.Write(text)
	if text, err = os.ReadFile(filepath.Join(root, "LICENSE")); err != nil {
		return nil, err
	}
	for _, d := range embedded {
		heading(&out, d.name)
		if err := d.notice(&out, text); err != nil {
			return nil, err
		}
	}
	for i, m := range modules {
		found, err := license.Of(dirs[m.path])
		if err != nil {
			return nil, fmt.Errorf("reading the license of %s: %w", m.path, err)
		}
		if bad := found.Refused(); len(bad) > 0 {
			return nil, fmt.Errorf("%s is under %s, which is not in the list of allowed licenses", m.path, strings.Join(bad, ", "))
		}
		modules[i].licenses = found.IDs
		for _, t := range found.Texts {
			heading(&out, fmt.Sprintf("%s %s, %s", m.path, m.version, t.Name))
			out.Write(t.Data)
		}
	}
	return out.Bytes(), nil
}

// data is something in the programs that is neither ours nor a module. It is under the MIT license, as aura is.
type data struct{ name, copyright string }

// embedded are the data in the programs.
var embedded = []data{
	{"the vocabulary of internal/agent/tokens, which OpenAI publishes with tiktoken", "Copyright (c) 2022 OpenAI, Shantanu Jain"},
}

var copyrightLine = regexp.MustCompile(`(?m)^Copyright \(c\) .*$`)

// notice writes the license of data: the text of aura's own with another copyright.
func (d data) notice(out *bytes.Buffer, mit []byte) error {
	if len(copyrightLine.FindAll(mit, -1)) != 1 {
		return errors.New("LICENSE must have one copyright line")
	}
	out.Write(copyrightLine.ReplaceAllLiteral(mit, []byte(d.copyright)))
	return nil
}

// goLicense reads the license of Go. Distributions keep it in other places.
func goLicense() ([]byte, error) {
	var errs []error
	for _, dir := range []string{runtime.GOROOT(), "/usr/share/licenses/go", "/usr/share/doc/golang-go"} { //nolint:staticcheck // the go command runs this program, so it is set
		for _, name := range []string{"LICENSE", "copyright"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err == nil {
				return text, nil
			}
			errs = append(errs, err)
		}
	}
	return nil, fmt.Errorf("looking for the license of Go: %w", errors.Join(errs...))
}

func heading(out *bytes.Buffer, text string) {
	fmt.Fprintf(out, "\n%s\n%s\n%s\n\n", strings.Repeat("=", 100), text, strings.Repeat("=", 100))
}

// The parts of a CycloneDX document that are used here.
type (
	bom struct {
		Schema       string          `json:"$schema"`
		BOMFormat    string          `json:"bomFormat"`
		SpecVersion  string          `json:"specVersion"`
		SerialNumber string          `json:"serialNumber"`
		Version      int             `json:"version"`
		Metadata     bomMetadata     `json:"metadata"`
		Components   []bomComponent  `json:"components"`
		Dependencies []bomDependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp string       `json:"timestamp"`
		Component bomComponent `json:"component"`
	}
	bomComponent struct {
		Type       string         `json:"type"`
		Ref        string         `json:"bom-ref"`
		Name       string         `json:"name"`
		Version    string         `json:"version"`
		PURL       string         `json:"purl,omitempty"`
		Licenses   []bomLicense   `json:"licenses,omitempty"`
		Properties []bomProperty  `json:"properties,omitempty"`
		Components []bomComponent `json:"components,omitempty"`
	}
	bomLicense struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	bomProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	bomDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// components writes the list of components of the programs, as CycloneDX.
func (r *releaser) components() error {
	data, err := json.MarshalIndent(r.bom(), "", "  ")
	if err != nil {
		return err
	}
	return r.text(fmt.Sprintf("aura-%s.cdx.json", r.src.version), append(data, '\n'))
}

func (r *releaser) bom() bom {
	app := bomComponent{
		Type: "application", Ref: own, Name: "aura", Version: r.src.version, PURL: goURL(own, "v"+r.src.version), Licenses: licensesOf([]string{"MIT"}),
		Properties: []bomProperty{{"aura:commit", r.src.commit}},
	}
	depends := map[string][]string{own: programs}
	for _, name := range programs {
		app.Components = append(app.Components, bomComponent{Type: "application", Ref: name, Name: name, Version: r.src.version})
	}
	out := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", BOMFormat: "CycloneDX", SpecVersion: "1.6", Version: 1,
		SerialNumber: "urn:uuid:" + serial(r.src.commit), Metadata: bomMetadata{Timestamp: r.src.stamp(), Component: app},
	}
	add := func(c bomComponent, programs []string) {
		out.Components = append(out.Components, c)
		for _, name := range programs {
			depends[name] = append(depends[name], c.Ref)
		}
	}
	std := goURL("std", strings.TrimPrefix(r.build.version.Go, "go"))
	add(bomComponent{Type: "library", Ref: std, Name: "std", Version: r.build.version.Go, PURL: std, Licenses: licensesOf([]string{"BSD-3-Clause"})}, programs)
	for _, m := range r.build.modules {
		url := goURL(m.path, m.version)
		add(bomComponent{
			Type: "library", Ref: url, Name: m.path, Version: m.version, PURL: url, Licenses: licensesOf(m.licenses),
			Properties: []bomProperty{{"aura:go.sum", m.sum}, {"aura:platforms", strings.Join(m.platforms, " ")}},
		}, m.programs)
	}
	for _, ref := range slices.Sorted(maps.Keys(depends)) {
		out.Dependencies = append(out.Dependencies, bomDependency{Ref: ref, DependsOn: depends[ref]})
	}
	return out
}

// goURL returns the package URL of a module.
func goURL(path, version string) string { return "pkg:golang/" + path + "@" + version }

func licensesOf(ids []string) []bomLicense {
	var out []bomLicense
	for _, id := range ids {
		var l bomLicense
		l.License.ID = id
		out = append(out, l)
	}
	return out
}

// serial returns a UUID that belongs to a commit (version 8, whose bits are ours to choose).
func serial(commit string) string {
	digits := []byte(commit + strings.Repeat("0", 32))[:32]
	digits[12], digits[16] = '8', '8'
	return fmt.Sprintf("%s-%s-%s-%s-%s", digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
}
