package install

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Place is a home that plugins are installed into.
type Place struct {
	// Home is where plugins.lock lies, Root the directory of the home's plugins; both are absolute.
	Home, Root string
}

// Options are what every operation needs of its surroundings.
type Options struct {
	// Workdir is what relative paths are relative to.
	Workdir string
	// Environ is the environment as NAME=value: tokens, the ssh agent, and what the Go command gets.
	Environ []string
	// UserHome is the user's home directory, for keys and known hosts.
	UserHome string
	// NoVendor leaves the plugins' vendor directories as they come.
	NoVendor bool
	// Force installs in spite of what Check finds.
	Force bool
	// Check looks at the source of a plugin; nil for not at all.
	Check Checker
	// BuiltinTools are the names that a plugin's tool has only by overriding.
	BuiltinTools []string
	// Grant is asked before plugins are put in their place that ask for something: all that they ask for, or at an update what they ask
	// for beyond the installed version. An error keeps them out. Nil grants everything.
	Grant func(list []Facts) error
	// DryRun makes an update end before it changes anything: neither is Grant asked, nor are files exchanged.
	DryRun bool
	// Confirm is asked before files are removed that cannot be installed again as they are. An error keeps them. Nil removes everything.
	Confirm func(Handmade) error
	// Progress is told how many bytes have been received; nil for nobody.
	Progress func(received int64)
	// Waiting is told that someone else changes the plugins in a directory, before waiting for that to end; nil for nobody.
	Waiting func(dir string)
	// Now is the time of installation; nil for the clock's.
	Now func() time.Time
}

// Finding is something that a check found in a plugin's source.
type Finding struct {
	// File is relative to the plugin's directory. Line is 0 where there is none.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Message says what is wrong, why, and what to write instead.
	Message string `json:"message"`
}

// String renders FILE:LINE: message.
func (f Finding) String() string {
	switch {
	case f.File == "":
		return f.Message
	case f.Line == 0:
		return f.File + ": " + f.Message
	default:
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Message)
	}
}

// Checker looks at the plugin in a directory. Errors keep it from being installed.
type Checker func(dir string) (warnings, errors []Finding)

// grant asks about the plugins of a list that ask for something.
func (o Options) grant(list []Facts) error {
	asking := slices.DeleteFunc(slices.Clone(list), func(f Facts) bool { return f.Asks.Empty() })
	if o.Grant == nil || len(asking) == 0 {
		return nil
	}
	return o.Grant(asking)
}

func (o Options) waiting(dir string) {
	if o.Waiting != nil {
		o.Waiting(dir)
	}
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now().UTC().Truncate(time.Second)
}

var simple = regexp.MustCompile(`^[\p{L}\p{N}._+-]+$`)

// word is a name as it is typed on a command line.
func word(name string) string {
	if simple.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// join lists names for a sentence.
func join(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
