package recording

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// ErrOpen means that a running aura process writes the recording.
var ErrOpen = errors.New("another aura is recording this session")

// Update replaces the outcomes of calls in the file by the results of a replay. A result that says nothing about the plugin changes
// nothing. The file is replaced as a whole, so it is the old or the new one.
func (r *Recording) Update(results []Result) error {
	if err := r.update(results); err != nil {
		return fmt.Errorf("updating recording %s: %w", r.Path, err)
	}
	return nil
}

func (r *Recording) update(results []Result) (err error) {
	held, err := lock.TryContent(r.Path)
	if errors.Is(err, lock.ErrHeld) {
		return ErrOpen
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	now := make(map[int]Result, len(results))
	for _, result := range results {
		if result.Unrepeatable == "" {
			now[result.Call.N] = result
		}
	}
	text, err := files.ReadNoFollow(r.Path, maxFile)
	if err != nil {
		return err
	}
	updated, err := rewrite(text[:min(r.size, int64(len(text)))], now) // without an incomplete end
	if err != nil {
		return err
	}
	info, err := os.Lstat(r.Path)
	if err != nil {
		return err
	}
	return files.Replace(r.Path, updated, info.Mode().Perm())
}

// rewrite returns the lines of a recording with other outcomes, and with new checksums.
func rewrite(text []byte, now map[int]Result) ([]byte, error) {
	var out []byte
	var before, after sum
	for line := range bytes.Lines(text) {
		r, next, err := before.decode(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			return nil, err
		}
		before = next
		if r.Call != nil {
			if result, ok := now[r.Call.N]; ok {
				r.Call.Out, r.Call.Failure, r.Call.Kind, r.Call.Version = result.Out, result.Failure, result.Kind, result.Version
			}
		}
		if out, after, err = after.encode(out, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}
