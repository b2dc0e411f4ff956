package gate

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"
)

// maxChecked is how many files are compared with the time of a consent. A directory with more counts as changed.
const maxChecked = 50_000

// changedSince reports whether a file, or anything below a directory, was changed after a time. It uses the time of the last change of
// the inode, which programs cannot set. It follows no links.
func changedSince(path string, t time.Time) bool {
	count, changed := 0, false
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if count++; !ok || count > maxChecked || time.Unix(stat.Ctim.Unix()).After(t) {
			changed = true
			return fs.SkipAll
		}
		return nil
	})
	return changed || err != nil
}
