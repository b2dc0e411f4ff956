package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/fleet"
)

// Collected is a file that a task brings back.
type Collected struct {
	// Path is relative to the workspace, with slashes.
	Path string
	Data []byte
}

// Collect reads the files that match patterns. It follows no link out of the workspace. It also returns notes about files that are
// not brought back.
func (s *Workspace) Collect(patterns []string) (found []Collected, notes []string, err error) {
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	root, err := files.OpenRoot(s.Dir)
	if err != nil {
		return nil, nil, fmt.Errorf("collecting files: %w", err)
	}
	defer func() { _ = root.Close() }()
	var names []string
	for _, pattern := range patterns {
		n := 0
		err := doublestar.GlobWalk(root.FS(), pattern, func(path string, d fs.DirEntry) error {
			if n++; d.Type().IsRegular() && !slices.Contains(names, path) {
				names = append(names, path)
			}
			if len(names) > fleet.MaxCollected || n > maxEntries {
				return errEnough
			}
			return nil
		}, doublestar.WithNoFollow())
		if err != nil && !errors.Is(err, errEnough) {
			notes = append(notes, fmt.Sprintf("collect %s: %v", pattern, err))
		}
	}
	if len(names) > fleet.MaxCollected {
		names = names[:fleet.MaxCollected]
		notes = append(notes, fmt.Sprintf("more than %d files match: the others are left out", fleet.MaxCollected))
	}
	left := int64(fleet.MaxCollectedBytes)
	var checked fleet.Names
	for _, name := range names {
		if err := checked.Add(name); err != nil {
			notes = append(notes, fmt.Sprintf("a file is left out: %v", err))
			continue
		}
		data, err := files.ReadBelow(root, name, min(left, fleet.MaxBlob))
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s is left out: %v", name, err))
			continue
		}
		left -= int64(len(data))
		found = append(found, Collected{Path: name, Data: data})
	}
	return found, notes, nil
}

var errEnough = errors.New("enough")
