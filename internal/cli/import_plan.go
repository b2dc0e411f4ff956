package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/agentimport"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/settings/config"
)

// unusable begins the reason why a file is not written.
const unusable = "aura cannot use it"

// The results for a part of a configuration.
const (
	statusWritten  = "written"
	statusReplaced = "replaced"
	statusKept     = "kept"
	statusSkipped  = "skipped"
)

// plannedFile is a file to write.
type plannedFile struct {
	agentimport.File

	full    string
	replace bool
}

// plan reads a configuration and decides what to write. It writes nothing.
func (o *agentImport) plan(l gate.Listing, agent agentimport.Agent, scope *importScope) error {
	dir := &importDir{top: scope.From}
	if !scope.user {
		// In a project, no link leads out of it.
		root, err := files.OpenRoot(scope.From)
		if err != nil {
			return err
		}
		defer func() { _ = root.Close() }()
		dir.root = root
	}
	items := agent.Read(dir, agentimport.Options{User: scope.user, KeepSecrets: o.keepSecrets, Project: filepath.Dir(l.Text.Project)})
	var kept []agentimport.Item
	reasons := map[string]string{}
	for i := range items {
		if reason := o.taken(l.Text, scope.Dir, items[i]); items[i].Skipped == "" && reason != "" {
			reasons[string(items[i].Kind)+items[i].Name] = reason
			continue
		}
		kept = append(kept, items[i])
	}
	faults := map[string]string{}
	for _, f := range agentimport.Written(kept) {
		planned, reason, err := o.planFile(l, scope, f)
		switch {
		case err != nil:
			return err
		case reason != "":
			faults[f.Path] = reason
		default:
			scope.files = append(scope.files, planned)
		}
	}
	for _, it := range items {
		scope.Items = append(scope.Items, scope.result(it, reasons[string(it.Kind)+it.Name], faults[it.File]))
	}
	return nil
}

// result is the result for an item. kept is the reason why another file stays; fault is that for its file.
func (s *importScope) result(it agentimport.Item, kept, fault string) importedItem {
	out := importedItem{Item: it, Status: statusWritten}
	switch i := slices.IndexFunc(s.files, func(f plannedFile) bool { return f.Path == it.File }); {
	case it.Skipped != "":
		out.Status, out.Reason = statusSkipped, it.Skipped
	case kept != "":
		out.Status, out.Reason = statusKept, kept
	case strings.HasPrefix(fault, unusable):
		out.Status, out.Reason = statusSkipped, fault
	case fault != "":
		out.Status, out.Reason = statusKept, fault
	case i >= 0 && s.files[i].replace:
		out.Status = statusReplaced
	}
	if !out.written() {
		out.File, out.Notes = "", nil
	}
	return out
}

// taken returns why an item must not be written although its file may not exist: the home has one of this name elsewhere.
func (o *agentImport) taken(configured *config.Config, home string, it agentimport.Item) string {
	full := filepath.Join(home, filepath.FromSlash(it.File))
	elsewhere := func(p config.Place) bool { return p.Home.Dir == home && p.File != full }
	if it.Kind == agentimport.KindPolicy {
		for key, p := range configured.FeaturePlaces(config.Agent{}, config.Mode{}, nil) {
			if strings.HasPrefix(key, "tools.") && elsewhere(p) {
				return fmt.Sprintf("%s has settings of tools: add these rules there:\n%s", p.File, it.Text)
			}
		}
		return ""
	}
	places := configured.Places(strings.ToLower(string(it.Kind)), it.Name)
	if i := slices.IndexFunc(places, elsewhere); i >= 0 {
		return fmt.Sprintf("%s:%d has a %s of this name: change it there", places[i].File, places[i].Line, it.Kind)
	}
	return ""
}

// planFile decides about one file. The reason says why it is not written.
func (o *agentImport) planFile(l gate.Listing, scope *importScope, f agentimport.File) (out plannedFile, reason string, err error) {
	home := scope.Dir
	if f.Path == agentsFile {
		home = scope.outside
	}
	out = plannedFile{File: f, full: filepath.Join(home, filepath.FromSlash(f.Path))}
	if err := refuseLinks(l, scope.Dir, filepath.Dir(out.full)); err != nil {
		return out, "", err
	}
	_, err = os.Lstat(out.full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return out, "", err
	case f.Path == agentsFile:
		return out, fmt.Sprintf("%s exists: add to it yourself: %s", out.full, firstLine(string(f.Text))), nil
	case !o.force:
		return out, fmt.Sprintf("%s exists: --force replaces it", out.full), nil
	default:
		out.replace = true
	}
	if f.Path == agentsFile {
		// AGENTS.md takes the place of a CLAUDE.md beside it.
		if _, err := os.Lstat(filepath.Join(home, claudeFile)); err == nil {
			out.Text = append([]byte("@"+claudeFile+"\n"), out.Text...)
		}
		return out, "", nil
	}
	if err := config.CheckFile(f.Path, f.Text); err != nil {
		return out, fmt.Sprintf("%s: %v", unusable, err), nil
	}
	return out, "", nil
}

// The files of instructions.
const (
	agentsFile = "AGENTS.md"
	claudeFile = "CLAUDE.md"
)

// maxForeign is the largest file of another agent, in bytes. Some keep their history in their settings.
const maxForeign = 32 << 20

// write writes the planned files. It follows no link of a project.
func (s *importScope) write() error {
	for _, f := range s.files {
		var err error
		below := s.outside
		if s.user {
			below = "" // the links there are the user's
		}
		if f.replace {
			err = files.SaveBelow(below, f.full, f.Text, importedFileMode)
		} else {
			err = files.CreateBelow(below, f.full, f.Text, importedFileMode, importedDirMode)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.full, err)
		}
	}
	return nil
}

// importDir is a directory that an import reads. root is nil for the user's, in which links lead where the user made them lead.
type importDir struct {
	top  string
	root *os.Root
}

func (d *importDir) Read(name string) ([]byte, error) {
	if d.root != nil {
		return files.ReadBelow(d.root, filepath.FromSlash(name), maxForeign)
	}
	return files.Read(filepath.Join(d.top, filepath.FromSlash(name)), maxForeign)
}

// importDepth limits how deep folders are read.
const importDepth = 4

func (d *importDir) Files(folder, ext string) ([]string, error) {
	out, err := d.files(folder, ext, importDepth)
	if err == nil && len(out) > limit.ConfigFiles {
		err = fmt.Errorf("it contains more than %d files", limit.ConfigFiles)
	}
	slices.Sort(out)
	return out, err
}

func (d *importDir) files(folder, ext string, depth int) ([]string, error) {
	var entries []fs.DirEntry
	var err error
	if d.root != nil {
		entries, err = files.ReadDirBelow(d.root, filepath.FromSlash(folder), limit.ConfigFiles+1)
	} else {
		entries, err = files.ReadDir(filepath.Join(d.top, filepath.FromSlash(folder)), limit.ConfigFiles+1)
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir() && depth > 1:
			below, err := d.files(name, ext, depth-1)
			if err != nil {
				return nil, err
			}
			out = append(out, below...)
		case !e.IsDir() && strings.HasSuffix(e.Name(), ext):
			out = append(out, name)
		}
		if len(out) > limit.ConfigFiles {
			break
		}
	}
	return out, nil
}
