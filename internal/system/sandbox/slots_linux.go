package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// openSlot locks the first directory of layers in store that no other session uses. Layers that two sessions would mount at the same time
// could not be kept consistent, so that each session has its own. The caller must keep the lock open as long as the layers are mounted.
func openSlot(store string) (string, *os.File, error) {
	for i := 0; i < MaxSlots; {
		slot := filepath.Join(store, strconv.Itoa(i))
		if err := os.MkdirAll(slot, 0o700); err != nil {
			return "", nil, fmt.Errorf("creating private layers: %w", err)
		}
		lock, err := lockDir(slot)
		switch {
		case err == nil:
			now := time.Now()
			// The time only decides which layers are removed first.
			_ = os.Chtimes(slot, now, now)
			return slot, lock, nil
		case errors.Is(err, fs.ErrNotExist):
			// It was removed because it was not used for long.
		default:
			i++
		}
	}
	return "", nil, fmt.Errorf("%d sessions of this project have private layers already", MaxSlots)
}

// RemoveSlot removes layers, unless a session uses them.
func RemoveSlot(slot string) error {
	lock, err := lockDir(slot)
	if err != nil {
		return fmt.Errorf("removing %s: %w", slot, err)
	}
	return errors.Join(RemoveTree(slot), lock.Close())
}

// SlotUsed reports whether a session uses the layers.
func SlotUsed(slot string) bool {
	lock, err := lockDir(slot)
	if err == nil {
		_ = lock.Close()
	}
	return err != nil
}
