package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// startedIn finds the working directory of this process, and returns an error if it is not the one that was opened.
func (p *confinement) startedIn() error {
	fd, err := openPlain(".")
	if err != nil {
		return fmt.Errorf("looking at the working directory: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	id, _, err := identify(fd)
	if err != nil {
		return fmt.Errorf("looking at the working directory: %w", err)
	}
	opened, ok := p.pins[p.Workdir]
	if !ok {
		opened.id = id
		if p.Workdir, err = unix.Getwd(); err != nil {
			return fmt.Errorf("finding the working directory: %w", err)
		}
	}
	p.entered = opened.id
	if id != p.entered {
		return fmt.Errorf("entering the working directory %s: %w; start aura again", p.Workdir, errReplaced)
	}
	return nil
}

// reenter changes to the working directory by its path, if the path still leads to the same directory. The directory that the
// process was started in may belong to a mount that is read-only now.
func (p *confinement) reenter(r *Report) error {
	fd, err := openPlain(p.Workdir)
	if err != nil {
		return fmt.Errorf("entering the working directory %s: %w", p.Workdir, explainOpen(err))
	}
	defer func() { _ = unix.Close(fd) }()
	id, _, err := identify(fd)
	// A working directory that is not granted is an empty one in the new root.
	if err == nil && id != p.entered && (!r.Hidden || p.reach(p.Workdir) != "") {
		err = errReplaced
	}
	if err = errors.Join(err, unix.Fchdir(fd)); err != nil {
		return fmt.Errorf("entering the working directory %s: %w", p.Workdir, err)
	}
	return nil
}
