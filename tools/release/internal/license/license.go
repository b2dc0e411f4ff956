// Package license reports under which licenses a Go module is, by the texts in its directory.
package license

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Text is a file of a module that must be passed on together with a program.
type Text struct {
	Name string
	Data []byte
}

// Found is what the files of a module say.
type Found struct {
	// IDs are SPDX identifiers, sorted.
	IDs []string
	// Texts are the licenses, and notices that belong to them.
	Texts []Text
}

// fileName matches what license texts and notices are called.
var fileName = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying|notice|patents)([-_.].*)?$`)

// isNotice matches files that accompany a license and are none.
var isNotice = regexp.MustCompile(`(?i)^(notice|patents)`)

// known is the part of a text that must be understood, in percent. The rest is names and years.
const known = 60

// Of reads the licenses in a module's directory.
func Of(dir string) (Found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Found{}, err
	}
	var out Found
	for _, e := range entries {
		if !e.Type().IsRegular() || !fileName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return Found{}, err
		}
		out.Texts = append(out.Texts, Text{e.Name(), text})
		if isNotice.MatchString(e.Name()) {
			continue
		}
		ids, err := identify(text)
		if err != nil {
			return Found{}, fmt.Errorf("%s: %w", filepath.Join(dir, e.Name()), err)
		}
		out.IDs = append(out.IDs, ids...)
	}
	slices.Sort(out.IDs)
	out.IDs = slices.Compact(out.IDs)
	if len(out.IDs) == 0 {
		return Found{}, fmt.Errorf("%s: no license found", dir)
	}
	return out, nil
}

// choice matches a text that begins with the licenses of which the reader chooses one.
var choice = regexp.MustCompile(`^\W*SPDX-License-Identifier: ([A-Za-z0-9.-]+) OR ([A-Za-z0-9.-]+)\s`)

// identify returns the licenses that a text consists of. If it offers a choice, the first allowed one is chosen.
func identify(text []byte) ([]string, error) {
	if m := choice.FindSubmatch(text); m != nil {
		for _, id := range m[1:] {
			if slices.Contains(allowed, string(id)) {
				return []string{string(id)}, nil
			}
		}
	}
	cover := licensecheck.Scan(text)
	if cover.Percent < known {
		return nil, fmt.Errorf("only %.0f%% of this text is known as a license: read it, and decide", cover.Percent)
	}
	var out []string
	for _, m := range cover.Match {
		if !m.IsURL {
			out = append(out, m.ID)
		}
	}
	return out, nil
}

// allowed are the licenses under which aura may be passed on as a program under the MIT license. The Mozilla license asks that the source of
// its files can be had, which holds for unchanged public modules.
var allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-DFS-2016", "Unlicense", "Zlib",
}

// Refused returns those of the licenses that are not allowed.
func (f Found) Refused() []string {
	var out []string
	for _, id := range f.IDs {
		if !slices.Contains(allowed, id) {
			out = append(out, id)
		}
	}
	return out
}
