// Package scaffold holds the initial configuration of a home, as commented files. It writes these files to a home without losing
// existing ones.
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

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/schema"
)

//go:embed files files/.gitignore
var embedded embed.FS

// Status is the planned or actual result for a file.
type Status string

// The statuses of a file.
const (
	// Created files did not exist before.
	Created Status = "created"
	// Unchanged files exist with the same content.
	Unchanged Status = "unchanged"
	// Kept files exist with different content and are not changed.
	Kept Status = "kept"
	// Overwritten files exist with different content and are replaced.
	Overwritten Status = "overwritten"
)

// File is a file of the configuration with its status.
type File struct {
	// Path is the absolute path of the file in the home.
	Path   string `json:"path"`
	Status Status `json:"status"`
	// Diff is the unified diff between the existing file and the new content. It is empty if they do not differ.
	Diff string `json:"diff,omitempty"`

	content string
}

// Plan returns what Write would do to a home. It changes nothing.
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

// planSchemas adds the schemas of YAML files. The first lines of the YAML files name their schemas. The schemas are located in
// the home, so that an editor needs no network and has the schemas of this version. Editors do not check the frontmatter of
// Markdown files, and users do not write JSON files, so there are no schemas for them.
func planSchemas(plan *[]File, home string, force bool) error {
	for _, k := range schema.Kinds() {
		if k.Markdown || k.JSON || k.Machine {
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

// compare compares the content with the current file.
func compare(path, content string, force bool) (File, error) {
	f := File{Path: path, Status: Created, content: content}
	old, err := files.Read(path, files.MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A dangling link still exists.
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

// Write carries out a plan. It follows no links below workdir, where confined code may have put them. A file that was created since the plan was made is kept, and its status is set to Kept.
func Write(workdir string, plan []File) error {
	for i := range plan {
		f := &plan[i]
		var err error
		switch f.Status {
		case Created:
			if err = create(workdir, f.Path, f.content); errors.Is(err, fs.ErrExist) {
				f.Status, err = Kept, nil
			}
		case Overwritten:
			err = files.SaveBelow(workdir, f.Path, []byte(f.content), fileMode)
		case Kept, Unchanged:
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.Path, err)
		}
	}
	return nil
}
