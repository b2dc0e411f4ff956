package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// little is the free space below which a disk is reported, in bytes.
	little = 200e6
	// trial is the size of the file that is written to test a disk, in bytes.
	trial = 64 << 10
)

// disks checks the directories that aura writes to: the state directory and the directory for temporary files.
func (p patient) disks(context.Context) []Check {
	out := []Check{{
		Area: "disk", Name: "state", Status: Warning, Detail: "there is no place for state, so no session is saved",
		Remedy: "set HOME, or XDG_STATE_HOME to an absolute path",
	}}
	if root := p.listing.State.Root; root != "" {
		out[0] = disk("state", root, "set XDG_STATE_HOME to a directory on another disk")
	}
	return append(out, disk("temporary files", os.TempDir(), "set TMPDIR to a directory on another disk"))
}

// disk writes a small file to a directory, or to its nearest existing ancestor, and reports the free space there.
func disk(name, dir, elsewhere string) Check {
	c := Check{Area: "disk", Name: name}
	at, err := existing(dir)
	if err == nil {
		err = writeTrial(at)
	}
	if err != nil {
		c.Status, c.Detail, c.Remedy = Error, fmt.Sprintf("%s cannot be written to: %v", dir, err), "free some space and check the permissions, or "+elsewhere
		return c
	}
	free, err := freeSpace(at)
	switch {
	case err != nil:
		c.Status, c.Detail, c.Remedy = Warning, fmt.Sprintf("%s can be written to; its free space is not known: %v", dir, err), "check the disk"
	case free < little:
		c.Status, c.Detail, c.Remedy = Warning, fmt.Sprintf("%s has only %d MB free", dir, free/1e6), "free some space, or "+elsewhere
	default:
		c.Status, c.Detail = OK, fmt.Sprintf("%s can be written to, %d MB free", dir, free/1e6)
	}
	return c
}

// existing returns dir, or its nearest ancestor that exists.
func existing(dir string) (string, error) {
	for {
		_, err := os.Stat(dir)
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return dir, err
		}
		dir = above
	}
}

// writeTrial writes a temporary file and removes it.
func writeTrial(dir string) error {
	f, err := os.CreateTemp(dir, ".aura-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte("aura"), trial/len("aura")))
	if err == nil {
		err = f.Sync() // some file systems report only now that the disk is full
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
