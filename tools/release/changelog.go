package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// entry is the part of CHANGELOG.md about one version. The entry about what is not released yet has neither version nor date.
type entry struct {
	version string
	date    time.Time
	// text is what follows the heading, without blank lines around it.
	text string
}

var (
	// headings are "## [0.1.0] - 2026-11-16" and "## [Unreleased]".
	versionHeading = regexp.MustCompile(`^## \[(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\] - (\d{4}-\d{2}-\d{2})$`)
	linkLine       = regexp.MustCompile(`^\[[^\]]+\]: \S+$`)
	// sections are the kinds of changes, as https://keepachangelog.com has them.
	sections = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
)

const unreleased = "## [Unreleased]"

// parseChangelog reads a changelog: newest version first, each with its date, changes sorted into sections.
func parseChangelog(text string) ([]entry, error) {
	lines := strings.Split(text, "\n")
	if lines[0] != "# Changelog" {
		return nil, errors.New(`CHANGELOG.md:1: the first line must be "# Changelog"`)
	}
	var out []entry
	for i, line := range lines {
		at := func(format string, args ...any) error {
			return fmt.Errorf("CHANGELOG.md:%d: "+format, append([]any{i + 1}, args...)...)
		}
		switch {
		case strings.HasPrefix(line, "## "):
			e, err := parseHeading(line)
			if err != nil {
				return nil, at("%w", err)
			}
			if err := follows(e, out); err != nil {
				return nil, at("%w", err)
			}
			out = append(out, e)
		case strings.HasPrefix(line, "### ") && !slices.Contains(sections, line[4:]):
			return nil, at("unknown section %q: use one of %s", line[4:], strings.Join(sections, ", "))
		case strings.HasPrefix(line, "### ") && len(out) == 0:
			return nil, at("a section before the first version")
		case len(out) > 0 && !linkLine.MatchString(line):
			out[len(out)-1].text += line + "\n"
		}
	}
	for i := range out {
		out[i].text = strings.TrimSpace(out[i].text)
		if out[i].text == "" && out[i].version != "" {
			return nil, fmt.Errorf("CHANGELOG.md: the entry for %s is empty", out[i].version)
		}
	}
	return out, nil
}

func parseHeading(line string) (entry, error) {
	if line == unreleased {
		return entry{}, nil
	}
	m := versionHeading.FindStringSubmatch(line)
	if m == nil {
		return entry{}, fmt.Errorf("the heading %q is neither %q nor like %q", line, unreleased, "## [1.2.3] - 2026-01-31")
	}
	date, err := time.Parse(time.DateOnly, m[2])
	return entry{version: m[1], date: date}, err
}

// follows reports an entry that may not stand below those before it.
func follows(e entry, before []entry) error {
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	switch {
	case e.version == "":
		return errors.New("what is not released yet must come first")
	case slices.ContainsFunc(before, func(b entry) bool { return b.version == e.version }):
		return fmt.Errorf("a second entry for %s", e.version)
	case last.version != "" && e.date.After(last.date):
		return fmt.Errorf("the entry for %s is newer than the entry above it", e.version)
	}
	return nil
}

// notesFor returns the release notes of a version.
func notesFor(changelog, version string) (string, error) {
	entries, err := parseChangelog(changelog)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.version == version {
			return fmt.Sprintf("# aura %s (%s)\n\n%s\n", version, e.date.Format(time.DateOnly), e.text), nil
		}
	}
	return "", fmt.Errorf(`CHANGELOG.md has no entry for %s: move what is below "Unreleased" to "## [%s] - YYYY-MM-DD", and commit it`, version, version)
}
