// Package scaffold is the configuration that a home begins with: commented files, and how they come into a home without
// anything being lost that is there already.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/schema"
)

//go:embed files files/.gitignore
var embedded embed.FS

// Status is what becomes of a file.
type Status string

// The statuses of a file.
const (
	// Created files were not there before.
	Created Status = "created"
	// Unchanged files are there and are the same.
	Unchanged Status = "unchanged"
	// Kept files are there, are different, and stay as they are.
	Kept Status = "kept"
	// Overwritten files are there, are different, and are replaced.
	Overwritten Status = "overwritten"
)

// File is a file of the configuration and what becomes of it.
type File struct {
	// Path is where it lies in the home, absolute.
	Path   string `json:"path"`
	Status Status `json:"status"`
	// Diff is what replacing the file changes, in the unified format; empty for a file that is not different.
	Diff string `json:"diff,omitempty"`

	content string
}

// Plan says what is to be done to a home. Nothing is done yet.
func Plan(home string, force bool) ([]File, error) {
	var plan []File
	err := fs.WalkDir(embedded, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(name, "files/")
		f, err := compare(filepath.Join(home, filepath.FromSlash(below)), string(content), force)
		plan = append(plan, f)
		return err
	})
	if err == nil {
		err = planSchemas(&plan, home, force)
	}
	if err != nil {
		return nil, fmt.Errorf("looking at %s: %w", home, err)
	}
	return plan, nil
}

// planSchemas adds the schemas of YAML files, which the first lines of these files name. The files lie in the home, so that an editor
// needs no network and has the schemas of this version. Editors do not check the frontmatter of Markdown files.
func planSchemas(plan *[]File, home string, force bool) error {
	for _, k := range schema.Kinds() {
		if k.Markdown {
			continue
		}
		text, err := k.Text()
		if err != nil {
			return err
		}
		f, err := compare(filepath.Join(home, schema.Dir, k.FileName()), string(text), force)
		if err != nil {
			return err
		}
		*plan = append(*plan, f)
	}
	return nil
}

// compare looks at one file as it is now.
func compare(path, content string, force bool) (File, error) {
	f := File{Path: path, Status: Created, content: content}
	old, err := files.Read(path, files.MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A link that leads nowhere is there all the same.
		if _, err := os.Lstat(path); err == nil {
			f.Status = Kept
		}
		return f, nil
	case err != nil:
		return f, err
	case bytes.Equal(old, []byte(content)):
		f.Status = Unchanged
		return f, nil
	}
	f.Status = Kept
	f.Diff = udiff.Unified(path, path+" (new)", string(old), content)
	if force {
		f.Status = Overwritten
	}
	return f, nil
}

// Write does what a plan says. A file that has come to be since then is kept, and its status says so.
func Write(plan []File) error {
	for i := range plan {
		f := &plan[i]
		var err error
		switch f.Status {
		case Created:
			if err = create(f.Path, f.content); errors.Is(err, fs.ErrExist) {
				f.Status, err = Kept, nil
			}
		case Overwritten:
			err = files.Save(f.Path, []byte(f.content), fileMode)
		case Kept, Unchanged:
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.Path, err)
		}
	}
	return nil
}
