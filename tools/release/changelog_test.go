package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseChangelog(t *testing.T) {
	t.Parallel()
	const head = "# Changelog\n\nWords.\n\n"
	for name, row := range map[string]struct{ text, fault string }{
		"two versions":          {text: head + "## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- b\n\n## [0.1.0] - 2026-01-01\n\n- a\n"},
		"a prerelease":          {text: head + "## [1.0.0-rc.1] - 2026-02-01\n\n- a\n"},
		"no title":              {text: "## [0.1.0] - 2026-01-01\n\n- a\n", fault: "CHANGELOG.md:1: the first line must be"},
		"no date":               {text: head + "## [0.1.0]\n\n- a\n", fault: `CHANGELOG.md:5: the heading "## [0.1.0]" is neither`},
		"no such day":           {text: head + "## [0.1.0] - 2026-13-01\n\n- a\n", fault: "CHANGELOG.md:5: parsing time"},
		"unknown section":       {text: head + "## [0.1.0] - 2026-01-01\n\n### News\n", fault: `CHANGELOG.md:7: unknown section "News"`},
		"section without entry": {text: head + "### Added\n", fault: "CHANGELOG.md:5: a section before the first version"},
		"unreleased below":      {text: head + "## [0.1.0] - 2026-01-01\n\n- a\n\n## [Unreleased]\n", fault: "must come first"},
		"twice":                 {text: head + "## [0.1.0] - 2026-01-01\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- a\n", fault: "a second entry for 0.1.0"},
		"oldest first":          {text: head + "## [0.1.0] - 2026-01-01\n\n- a\n\n## [0.2.0] - 2026-02-01\n\n- b\n", fault: "the entry for 0.2.0 is newer"},
		"empty":                 {text: head + "## [0.1.0] - 2026-01-01\n\n[0.1.0]: https://example.com\n", fault: "the entry for 0.1.0 is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseChangelog(row.text)
			if row.fault == "" && err != nil || row.fault != "" && (err == nil || !strings.Contains(err.Error(), row.fault)) {
				t.Errorf("got %v, want %q", err, row.fault)
			}
		})
	}
}

func TestNotesFor(t *testing.T) {
	t.Parallel()
	const text = "# Changelog\n\n## [Unreleased]\n\n- later\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- b\n\n## [0.1.0] - 2026-01-01\n\n- a\n\n[0.1.0]: https://example.com\n"
	for version, want := range map[string]string{
		"0.2.0": "# aura 0.2.0 (2026-02-01)\n\n### Added\n\n- b\n",
		"0.1.0": "# aura 0.1.0 (2026-01-01)\n\n- a\n",
	} {
		if got, err := notesFor(text, version); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", version, got, err, want)
		}
	}
	if _, err := notesFor(text, "0.3.0"); err == nil || !strings.Contains(err.Error(), "no entry for 0.3.0") {
		t.Errorf("a version without an entry: got %v", err)
	}
}

// TestOwnChangelog checks that the changelog of aura can be read, and that the version of the source has an entry.
func TestOwnChangelog(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := parseChangelog(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 2 || entries[0].version != "" {
		t.Errorf("got %d entries; the first must be %q", len(entries), unreleased)
	}
	for _, e := range entries {
		if e.version != "" && !strings.Contains(string(text), "\n["+e.version+"]: https://") {
			t.Errorf("the heading of %s leads nowhere: add its address at the end", e.version)
		}
	}
}
