package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxResolution is the largest list of chosen packages, in bytes. pip's list holds the whole metadata of each package.
const maxResolution = 64 << 20

// pin is a package in one version, with the SHA-256 hashes of its files in hexadecimal. It has at least one.
type pin struct {
	name, version string
	hashes        []string
}

var pinned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[A-Za-z0-9._, -]*\])?==([A-Za-z0-9][A-Za-z0-9.!+_-]*)(?: *;[^@\\]*)?$`)
})

// newPin returns a pin of what an installer chose.
func newPin(requirement string, hashes []string) (pin, error) {
	found := pinned().FindStringSubmatch(requirement)
	if found == nil {
		return pin{}, fmt.Errorf("%q is not a package of an index in one version", requirement)
	}
	bad := func(h string) bool {
		b, err := hex.DecodeString(h)
		return err != nil || len(b) != sha256.Size
	}
	if len(hashes) == 0 || slices.ContainsFunc(hashes, bad) {
		return pin{}, fmt.Errorf("%q has no SHA-256 hash", requirement)
	}
	return pin{name: found[1], version: found[2], hashes: hashes}, nil
}

// requirements renders pins in the format of requirements.txt.
func requirements(pins []pin) []byte {
	var b strings.Builder
	for _, p := range pins {
		fmt.Fprintf(&b, "%s==%s", p.name, p.version)
		for _, h := range p.hashes {
			fmt.Fprintf(&b, " --hash=sha256:%s", h)
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// parseRequirements reads a requirements.txt in which every line is a package in one version with its hashes. It refuses addresses and
// options. The result is sorted by name.
func parseRequirements(text []byte) ([]pin, error) {
	var pins []pin
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " --hash=sha256:")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		p, err := newPin(parts[0], parts[1:])
		if err != nil {
			return nil, err
		}
		pins = append(pins, p)
	}
	return sorted(pins), nil
}

// pipReport is the part of pip's installation report that matters here.
type pipReport struct {
	Version string `json:"version"`
	Install []struct {
		IsDirect     bool `json:"is_direct"`
		DownloadInfo struct {
			URL         string `json:"url"`
			ArchiveInfo struct {
				// Hash is what pip wrote before version 23: "sha256=…".
				Hash   string            `json:"hash"`
				Hashes map[string]string `json:"hashes"`
			} `json:"archive_info"`
		} `json:"download_info"`
		Metadata struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"metadata"`
	} `json:"install"`
}

// parsePipReport reads an installation report of pip. It refuses packages that a dependency named by an address. The result is sorted
// by name.
func parsePipReport(text []byte) ([]pin, error) {
	var report pipReport
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("reading pip's report: %w", err)
	}
	if report.Version != "1" && report.Version != "0" {
		return nil, fmt.Errorf("reading pip's report: its version is %q, and this aura supports versions 0 and 1; use another pip", report.Version)
	}
	var pins []pin
	for _, item := range report.Install {
		name, archive := item.Metadata.Name, item.DownloadInfo.ArchiveInfo
		if item.IsDirect {
			return nil, fmt.Errorf("a dependency takes %s from the address %s, not from an index", name, item.DownloadInfo.URL)
		}
		hash := archive.Hashes["sha256"]
		if hash == "" {
			hash = strings.TrimPrefix(archive.Hash, "sha256=")
		}
		p, err := newPin(name+"=="+item.Metadata.Version, []string{hash})
		if err != nil {
			return nil, err
		}
		pins = append(pins, p)
	}
	return sorted(pins), nil
}

func sorted(pins []pin) []pin {
	slices.SortStableFunc(pins, func(a, b pin) int { return strings.Compare(a.name, b.name) })
	return pins
}
