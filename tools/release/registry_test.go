package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// registryPlatforms are the names that the registry has for platforms.
var registryPlatforms = []string{"darwin-aarch64", "darwin-x86_64", "linux-aarch64", "linux-x86_64", "windows-aarch64", "windows-x86_64"}

// checkEntry returns the first rule of the registry that an entry breaks.
func checkEntry(data []byte) error {
	var e registryEntry
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&e); err != nil {
		return err
	}
	for _, rule := range []struct{ what, text, pattern string }{
		{"id", e.ID, `^[a-z][a-z0-9-]*$`},
		{"name", e.Name, `\S`},
		{"version", e.Version, `^[0-9]+\.[0-9]+\.[0-9]+$`},
		{"description", e.Description, `\S`},
		{"license", e.License, `\S`},
		{"license_url", e.LicenseURL, `^https://`},
		{"repository", e.Repository, `^https://`},
		{"website", e.Website, `^https://`},
	} {
		if !regexp.MustCompile(rule.pattern).MatchString(rule.text) {
			return fmt.Errorf("%s: %q does not match %s", rule.what, rule.text, rule.pattern)
		}
	}
	if len(e.Distribution.Binary) == 0 {
		return errors.New("no distribution")
	}
	for name, target := range e.Distribution.Binary {
		switch {
		case !slices.Contains(registryPlatforms, name):
			return fmt.Errorf("unknown platform %s", name)
		case !strings.HasPrefix(target.Archive, "https://"), strings.Contains(target.Archive, "/latest/"), !strings.Contains(target.Archive, "/v"+e.Version+"/"):
			return fmt.Errorf("%s: address %s", name, target.Archive)
		case !strings.HasSuffix(target.Archive, ".zip") && !strings.HasSuffix(target.Archive, ".tar.gz"):
			return fmt.Errorf("%s: format of %s", name, target.Archive)
		case !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(target.SHA256):
			return fmt.Errorf("%s: checksum %s", name, target.SHA256)
		case target.Cmd == "":
			return fmt.Errorf("%s: no command", name)
		}
	}
	return nil
}

// TestRegistry checks the entry for the registry of agents against the rules of the registry, and against the archives that it names.
func TestRegistry(t *testing.T) {
	t.Parallel()
	made := make1(t, nil, everything(t)...)
	if err := checkEntry(made["agent.json"]); err != nil {
		t.Error(err)
	}
	var e registryEntry
	if err := json.Unmarshal(made["agent.json"], &e); err != nil || len(e.Distribution.Binary) != len(registryPlatforms) {
		t.Fatalf("got %+v, %v", e, err)
	}
	for name, target := range e.Distribution.Binary {
		archive := made[path.Base(target.Archive)]
		sum := sha256.Sum256(archive)
		if archive == nil || target.SHA256 != hex.EncodeToString(sum[:]) || !slices.Equal(target.Args, []string{"acp"}) {
			t.Errorf("%s: got %+v", name, target)
		}
		inside := unzip
		if !strings.HasPrefix(name, "windows") {
			inside = func(t *testing.T, data []byte) map[string]string {
				t.Helper()
				return untar(t, gunzip(t, data))
			}
		}
		if _, ok := inside(t, archive)[strings.TrimPrefix(target.Cmd, "./")]; !ok {
			t.Errorf("%s: %s is not in the archive", name, target.Cmd)
		}
	}
	if linux := make1(t, nil, platform{"linux", "amd64"}); checkEntry(linux["agent.json"]) != nil || bytes.Contains(linux["agent.json"], []byte("darwin")) {
		t.Errorf("a release for Linux alone: %s", linux["agent.json"])
	}
	for old, wrong := range map[string]string{
		`"id": "aura"`: `"id": "Aura"`, `"version": "0.1.0"`: `"version": "v0.1"`, `"license_url": "https`: `"licence": "https`, "/download/v0.1.0/": "/download/latest/",
		"linux-x86_64": "linux-amd64", ".tar.gz": ".deb", `"cmd": "./`: `"command": "./`, `"sha256": "`: `"sha256": "x`,
	} {
		broken := bytes.ReplaceAll(made["agent.json"], []byte(old), []byte(wrong))
		if bytes.Equal(broken, made["agent.json"]) || checkEntry(broken) == nil {
			t.Errorf("with %s the entry is accepted", wrong)
		}
	}
}

// TestRegistryIcon checks that the icon is 16 by 16 pixels and has no colour of its own.
func TestRegistryIcon(t *testing.T) {
	t.Parallel()
	text := string(make1(t, nil, platform{"linux", "amd64"})["icon.svg"])
	if !strings.Contains(text, `width="16" height="16" viewBox="0 0 16 16"`) {
		t.Error("the size is another one")
	}
	for _, paint := range regexp.MustCompile(`(?:fill|stroke)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if paint[1] != "currentColor" && paint[1] != "none" {
			t.Errorf("it has the colour %s", paint[1])
		}
	}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
