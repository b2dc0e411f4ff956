package recording

import (
	"errors"
	"fmt"
)

// errNoVersion is the error of a file whose first record is not a Run.
var errNoVersion = errors.New("the first record does not name a version: not a recording of aura")

// versionError is the error of a recording of a version that this aura does not know.
func versionError(version int) error {
	return fmt.Errorf("the recording has version %d, and this aura reads versions 1 to %d; record the session again", version, Version)
}

// order counts the records of a recording, and refuses one that cannot follow them.
type order struct{ runs, calls, entries int }

func (o *order) follow(next record) error {
	switch {
	case next.Run != nil:
		o.runs++
		if next.Run.Version < 1 || next.Run.Version > Version {
			return versionError(next.Run.Version)
		}
	case o.runs == 0:
		return errNoVersion
	case next.Entries != nil:
		o.entries += len(next.Entries)
	case next.Call != nil:
		return o.call(next.Call)
	case next.Start == nil && next.Talk == nil && next.Prompt == nil && next.Answer == nil && next.Ran == nil && next.Full == nil:
		return errors.New("a record of an unknown kind: the recording may be from a newer aura")
	}
	return nil
}

func (o *order) call(next *Call) error {
	if next.N != o.calls+1 {
		return fmt.Errorf("call %d follows call %d", next.N, o.calls)
	}
	o.calls++
	for name, numbers := range next.Lists {
		for _, n := range numbers {
			if n[0] < 0 || n[1] <= n[0] || n[1] > o.entries {
				return fmt.Errorf("call %d: %s names entries %d to %d of %d", next.N, name, n[0], n[1], o.entries)
			}
		}
	}
	return nil
}
