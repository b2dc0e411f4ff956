package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

// LayersLimit is how many bytes the private layers of all projects may have. Those that were not used for longest are removed first.
const LayersLimit = 20 << 30

// MaxSlots is how many sessions of one project can have private layers at the same time.
const MaxSlots = 16

// pruneInterval is how often the size of all layers is computed at most, because that reads every directory.
const pruneInterval = time.Hour

// projectFile is the name of the file that holds the path of a project, beside its layers.
const projectFile = "project"

// maxProjectFile is the largest size of that file, in bytes.
const maxProjectFile = 64 << 10

// Stored describes what the confined builds of one project have added to caches. Name is unique.
type Stored struct {
	Name    string    `json:"name"`
	Project string    `json:"project"`
	Bytes   int64     `json:"bytes"`
	Used    time.Time `json:"used"`
	// InUse is true while a session has it mounted.
	InUse bool `json:"in_use"`

	slots []string
}

// StoredLayers lists the private layers in a directory of layers, those used last first.
func StoredLayers(caches string) ([]Stored, error) {
	entries, err := os.ReadDir(caches)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing private caches: %w", err)
	}
	var out []Stored
	for _, e := range entries {
		dir := filepath.Join(caches, e.Name())
		slots, _ := filepath.Glob(filepath.Join(dir, "[0-9]*"))
		if len(slots) == 0 {
			continue
		}
		// Without the file the name still identifies the project.
		project, _ := files.ReadNoFollow(filepath.Join(dir, projectFile), maxProjectFile)
		s := Stored{Name: e.Name(), Project: string(project), slots: slots}
		for _, slot := range slots {
			s.Bytes += treeSize(slot)
			s.InUse = s.InUse || SlotUsed(slot)
			if info, err := os.Stat(slot); err == nil && info.ModTime().After(s.Used) {
				s.Used = info.ModTime()
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Stored) int { return b.Used.Compare(a.Used) })
	return out, nil
}

// Remove removes the layers that no session uses, and returns an error for those that one uses.
func (s Stored) Remove() error {
	var errs []error
	for _, slot := range s.slots {
		errs = append(errs, RemoveSlot(slot))
	}
	return errors.Join(errs...)
}

// PruneLayers removes the layers that were not used for longest until all together have at most limit bytes. It leaves those that a session uses.
func PruneLayers(caches string, limit int64) {
	type slot struct {
		path  string
		bytes int64
		used  time.Time
	}
	// The pattern has no syntax that can fail.
	paths, _ := filepath.Glob(filepath.Join(caches, "*", "[0-9]*"))
	var all []slot
	var total int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			one := slot{path, treeSize(path), info.ModTime()}
			all, total = append(all, one), total+one.bytes
		}
	}
	slices.SortFunc(all, func(a, b slot) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path)) })
	for _, one := range all {
		if total <= limit {
			return
		}
		if RemoveSlot(one.path) == nil {
			total -= one.bytes
		}
	}
}

// pruneSometimes prunes layers unless that was done a short time ago.
func pruneSometimes(caches string) {
	stamp := filepath.Join(caches, "pruned")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < pruneInterval {
		return
	}
	// If the file cannot be written, the next session prunes again.
	_ = os.WriteFile(stamp, nil, 0o600)
	PruneLayers(caches, LayersLimit)
}

// treeSize returns the size of the files in a tree, in bytes. What cannot be read does not count.
func treeSize(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}
