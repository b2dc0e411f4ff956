package plugindev

import (
	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/author/recording"
)

// Saved reports that files of the plugin were saved.
type Saved struct {
	Plugin string `json:"plugin"`
	// Files are relative to the plugin's directory; at most 20.
	Files []string `json:"files"`
}

// Finding is something that the check found in the saved files.
type Finding struct{ check.Finding }

// Replayed is a recorded call that was made again.
type Replayed struct {
	Plugin string `json:"plugin"`
	// Call is the number of the call in the recording, from 1. Turn is the turn in which it was recorded.
	Call int `json:"call"`
	Turn int `json:"turn"`
	// Point is the hook, or "tool" or "command", and Name the tool or command.
	Point string `json:"point"`
	Name  string `json:"name,omitempty"`
	// Differences is empty if the result is that of the recording.
	Differences []recording.Difference `json:"differences,omitempty"`
	// Unrepeatable is why the call was not made again; empty if it was.
	Unrepeatable string `json:"unrepeatable,omitempty"`
}

// ReplayEnd is the end of a replay.
type ReplayEnd struct {
	Plugin string `json:"plugin"`
	// Calls is the number of all calls; Differ of them had another result, and Unrepeated were not made again.
	Calls      int `json:"calls"`
	Differ     int `json:"differ"`
	Unrepeated int `json:"unrepeated"`
}

// Type implements event.Event.
func (Saved) Type() string { return "plugin_saved" }

// Type implements event.Event.
func (Finding) Type() string { return "plugin_finding" }

// Type implements event.Event.
func (Replayed) Type() string { return "plugin_replayed" }

// Type implements event.Event.
func (ReplayEnd) Type() string { return "plugin_replay_end" }
