package inputhistory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// lockTime is how long Add waits for another session that changes the file.
const lockTime = 5 * time.Second

// entry is a line of the file, in JSON.
type entry struct {
	Text string `json:"text"`
}

// read returns the prompts of a file.
func read(path string) ([]string, error) {
	data, err := tail(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the history of prompts: %w: remove the file to start over", err)
	}
	return parse(data), nil
}

// tail reads the last maxFile bytes of a file, without an incomplete first line. Another program may have made the file larger.
func tail(path string) (data []byte, err error) {
	f, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-maxFile)
	if data, err = io.ReadAll(io.NewSectionReader(f, from, maxFile)); from > 0 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data, err
}

// parse returns the prompts of lines, at most maxEntries. It skips what is no prompt.
func parse(data []byte) []string {
	var entries []string
	for line := range bytes.Lines(data) {
		var e entry
		if err := json.Unmarshal(line, &e); err == nil && e.Text != "" && len(e.Text) <= maxEntry {
			entries = with(entries, e.Text)
		}
	}
	return newest(entries)
}

// write adds a prompt to a file and returns the prompts that the file then has. It replaces the whole file, which is small: so the
// file is complete and within its bounds at every moment.
func write(path, text string) (entries []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("adding to the history of prompts: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	held, err := lock.Wait(ctx, path+".lock", func() {})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if entries, err = read(path); err != nil {
		return nil, err
	}
	entries = newest(with(entries, text))
	data, first, err := format(entries)
	if err != nil {
		return nil, err
	}
	if err := files.Replace(path, data, 0o600); err != nil {
		return nil, err
	}
	return entries[first:], files.SyncDir(filepath.Dir(path))
}

// format returns the lines of the newest prompts that fit into a file, and the index of the oldest of these.
func format(entries []string) (data []byte, first int, err error) {
	var lines [][]byte
	size := 0
	for first = len(entries); first > 0; first-- {
		line, err := json.Marshal(entry{Text: entries[first-1]})
		if err != nil {
			return nil, 0, err
		}
		if size += len(line) + 1; size > maxFile {
			break
		}
		lines = append(lines, append(line, '\n'))
	}
	slices.Reverse(lines)
	return bytes.Join(lines, nil), first, nil
}
