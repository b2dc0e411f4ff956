package machinepolicy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// The names in the directory of a policy, and a limit.
const (
	// FileName is the file of a policy, and PartsName the directory of further files.
	FileName  = "policy.yaml"
	PartsName = "policy.d"
	// maxFiles limits the files of a policy.
	maxFiles = 100
)

// testPlace is set by the linker in builds for tests alone: with the value "beside", the policy is in a directory beside the program, and the
// user who runs the program may own it. No variable, flag or file sets it.
var testPlace string

// TestDir is the directory of the policy beside a program that was built for tests.
const TestDir = "machine-policy"

// place is where a policy is read from.
type place struct {
	// dir is the directory of the policy. It and the directories above it, up to top, must belong to the owner.
	dir, top string
	// trusted returns an error if others than administrators can change a file or directory.
	trusted func(path string, info fs.FileInfo) error
}

// Dir returns the directory of the policy of this machine.
func Dir() string { return thisMachine().dir }

func thisMachine() place {
	if testPlace == "beside" {
		if self, err := os.Executable(); err == nil {
			dir := filepath.Join(filepath.Dir(self), TestDir)
			return place{dir: dir, top: dir, trusted: ownOrAdministrators}
		}
	}
	dir := systemDir()
	return place{dir: dir, top: filepath.VolumeName(dir) + string(filepath.Separator), trusted: onlyAdministrators}
}

// read reads all files of the policy.
func (at place) read() (*Policy, error) {
	names, err := at.names()
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("%s has %d files, the limit is %d", at.dir, len(names), maxFiles)
	}
	out := &Policy{}
	var faults []error
	for _, name := range names {
		data, err := at.readFile(name)
		if err == nil {
			var d document
			d, err = decode(name, data)
			out.documents = append(out.documents, d)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return out, out.conflict()
}

// names returns the paths of the files that exist: policy.yaml first, then those of policy.d by name.
func (at place) names() ([]string, error) {
	if _, err := os.Lstat(at.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var names []string
	main := filepath.Join(at.dir, FileName)
	if _, err := os.Lstat(main); err == nil {
		names = append(names, main)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	parts, err := at.parts()
	names = append(names, parts...)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return names, at.checkDirs(at.dir)
}

// parts returns the paths of the files in policy.d by name.
func (at place) parts() ([]string, error) {
	dir := filepath.Join(at.dir, PartsName)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := at.checkDirs(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".yaml":
			names = append(names, filepath.Join(dir, e.Name()))
		case ".yml":
			return nil, fmt.Errorf("%s: the name of a file of the policy ends in .yaml: rename or remove it", filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(names)
	return names, nil
}

// checkDirs returns an error if others can change a directory or one above it, up to the top.
func (at place) checkDirs(dir string) error {
	for {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a link, and a policy is not read through links", dir)
		case !info.IsDir():
			return fmt.Errorf("%s is not a directory", dir)
		}
		if err := at.trusted(dir, info); err != nil {
			return err
		}
		if dir == at.top || dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

// readFile reads one file. Nobody can exchange it meanwhile: its directories were checked.
func (at place) readFile(path string) ([]byte, error) {
	f, err := files.OpenNoFollow(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := at.trusted(path, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, strictyaml.MaxSize+1))
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(data)) == "" {
		return nil, fmt.Errorf("%s is empty: write the policy into it, or remove it", path)
	}
	return data, nil
}
