//go:build !linux

package sandbox

// UseHelper does nothing: there are no layers on this system.
func (g *Grants) UseHelper(string) {}

// RemoveSlot removes layers that another system made.
func RemoveSlot(slot string) error { return RemoveTree(slot) }

// SlotUsed returns false: there are no layers on this system.
func SlotUsed(string) bool { return false }

// layerDir returns nothing: there are no layers on this system.
func layerDir(string) string { return "" }
