// Package recording keeps whole calls of plugins in a file: what went to the plugin, what came back, and what the plugin asked of aura
// meanwhile. A recording can be read back, and its calls can be made again.
//
// The file has one JSON object per line. The first field of each line is a checksum over the line and all lines before it, so a line that
// was changed, added or removed is found. The growing lists of a context are not repeated: their entries are numbered, and a call
// names the numbers.
package recording

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
)

// Version is the version of the format. It increases whenever an older aura would misread the file.
//
//	1: the checksum of each line is the beginning of a SHA-256
//	2: that of most lines begins with a CRC-32C; see sum
const Version = 2

// Ext is the extension of a recording's file name.
const Ext = ".recording"

// Beside returns the path of the recording that belongs to a journal.
func Beside(journal string) string {
	return strings.TrimSuffix(journal, filepath.Ext(journal)) + Ext
}

// Run is the first record of a file, and of each aura that continues it.
type Run struct {
	// Version is the version of the format.
	Version int `json:"version"`
	// Aura is the version of aura that wrote the records that follow.
	Aura    string    `json:"aura"`
	Session string    `json:"session"`
	At      time.Time `json:"at"`
}

// record is a line. Exactly one field is set.
type record struct {
	Run *Run `json:"run,omitempty"`
	// Entries are the next entries of lists. They are numbered from 0 over the whole file.
	Entries []json.RawMessage `json:"entries,omitempty"`
	Start   *Start            `json:"start,omitempty"`
	Call    *Call             `json:"call,omitempty"`
	// Talk, Prompt, Answer and Ran are what the conversation depends on besides its plugins.
	Talk   *Talk   `json:"talk,omitempty"`
	Prompt *string `json:"prompt,omitempty"`
	Answer *Answer `json:"answer,omitempty"`
	Ran    *Ran    `json:"ran,omitempty"`
	// Full says that the file has reached its limit, so later calls are missing.
	Full *struct{} `json:"full,omitempty"`
}

// Start is the start of a process of a plugin.
type Start struct {
	Plugin  string `json:"plugin"`
	Version string `json:"version"`
	Child   int    `json:"child"`
	// Env is the environment of the process.
	Env []string `json:"env,omitempty"`
	// Earlier says that the process was called before the recording began, so its variables are not known.
	Earlier bool `json:"earlier,omitempty"`
	// Asked is what the plugin asked while it was loaded.
	Asked []host.Ask `json:"asked,omitempty"`
}

// Call is one call. All JSON is in the form of shared.EncodeExact, which loses nothing.
type Call struct {
	// N counts the calls of the file from 1.
	N  int       `json:"n"`
	At time.Time `json:"at"`
	// Turn is the number of the model call that the call belongs to.
	Turn   int    `json:"turn"`
	Plugin string `json:"plugin"`
	// Version is the hash of the plugin's files.
	Version string `json:"version"`
	// Child is the number of the process among those of the plugin in the same run; 0 is a process for this one call.
	Child int `json:"child,omitempty"`
	// Point is the name of a hook point, or one of the Point constants of package host. Name is the tool, the command or the event.
	Point string `json:"point"`
	Name  string `json:"name,omitempty"`
	// Context is the context without its lists, and Lists the numbers of their entries. A list that is nil is missing.
	Context json.RawMessage   `json:"context,omitempty"`
	Lists   map[string]ranges `json:"lists,omitempty"`
	// Args are the arguments of a tool or a command, or the payload of an event.
	Args   json.RawMessage   `json:"args,omitempty"`
	Sender string            `json:"sender,omitempty"`
	Env    map[string]string `json:"env,omitempty"`

	// Out is the result. Of failed calls only a hook may have one.
	Out json.RawMessage `json:"out,omitempty"`
	// Failure is why the call failed, and Kind the kind of the failure: a host.ErrorKind, or "cancelled".
	Failure string         `json:"failure,omitempty"`
	Kind    host.ErrorKind `json:"kind,omitempty"`
	Asked   []host.Ask     `json:"asked,omitempty"`
	// Mixed says that the process worked on more than this call, so Asked may contain what belongs to another one.
	Mixed bool `json:"mixed,omitempty"`
	// Redacted says that secrets were removed from what the plugin received.
	Redacted bool          `json:"redacted,omitempty"`
	Waited   time.Duration `json:"waited_ns"`
	Took     time.Duration `json:"took_ns"`

	// entries are those of the whole file. run is the number of the run that made the call.
	entries *[]json.RawMessage
	run     int
}

// KindCancelled is the Kind of a call that was cancelled.
const KindCancelled host.ErrorKind = "cancelled"

// ranges are numbers of entries: pairs of the first number and the number after the last.
type ranges [][2]int

// add appends a number.
func (r *ranges) add(n int) {
	if last := len(*r) - 1; last >= 0 && (*r)[last][1] == n {
		(*r)[last][1]++
		return
	}
	*r = append(*r, [2]int{n, n + 1})
}
