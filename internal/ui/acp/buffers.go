package acp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// SaveBuffers implements frontend.BufferSaver. A file whose text in the client differs from that on the disk is saved by the client,
// so that the tools, which are confined, see and change what the user sees. aura itself writes nothing.
func (f *front) SaveBuffers(ctx context.Context, paths []string) error {
	can := f.server.client.FS
	if !can.ReadTextFile || !can.WriteTextFile {
		return nil
	}
	var all []string
	for _, path := range paths {
		all = append(all, f.absolute(path))
	}
	slices.Sort(all)
	for _, path := range slices.Compact(all) {
		if err := f.saveBuffer(ctx, path); err != nil {
			return fmt.Errorf("letting the editor save %s: %w", path, err)
		}
	}
	return nil
}

func (f *front) saveBuffer(ctx context.Context, path string) error {
	var buffer struct {
		Content string `json:"content"`
	}
	file := map[string]any{"sessionId": f.id, "path": path}
	if err := f.server.conn.call(ctx, methodReadFile, file, &buffer); err != nil {
		// A client refuses what is no text file, or does not exist. Then there is nothing to save.
		return context.Cause(ctx)
	}
	saved, err := files.Read(path, limit.ACPMessage)
	switch {
	case errors.Is(err, fs.ErrNotExist) && buffer.Content != "":
	case err != nil, sameText(string(saved), buffer.Content):
		return nil //nolint:nilerr // the tool reports a file that cannot be read
	}
	file["content"] = buffer.Content
	return f.server.conn.call(ctx, methodWriteFile, file, &struct{}{})
}

// sameText reports whether two texts are the same apart from what editors add when they save: a byte order mark, and the kind of
// line endings.
func sameText(a, b string) bool {
	plain := func(text string) string { return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n") }
	return plain(a) == plain(b)
}
