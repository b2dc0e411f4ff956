package install

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/internal/supply/signature"
)

// Place is a home that plugins are installed into.
type Place struct {
	// Home is the directory that holds plugins.lock. Root is the directory of the home's plugins. Both are absolute.
	Home, Root string
}

// Options holds the environment and the callbacks of every operation.
type Options struct {
	// Workdir is the directory that relative paths are resolved against.
	Workdir string
	// Writable lists further directories that confined code can write to. No program there is started.
	Writable []string
	// Environ is the environment as NAME=value: it holds the tokens and the address of the ssh agent, and is passed to the Go
	// command.
	Environ []string
	// Private is a directory of aura's state, which confined code cannot write to, for the modules that are downloaded. If it is empty, a
	// temporary directory is used.
	Private string
	// Go runs the go command; nil means unconfined.
	Go func(ctx context.Context, c gocmd.Command) (string, error)
	// UserHome is the user's home directory, for keys and known hosts.
	UserHome string
	// NoVendor leaves the plugins' vendor directories unchanged, and installs no packages for extensions. An update keeps those of the
	// old version, unless the new one brings its own.
	NoVendor bool
	// Python returns the interpreter that runs extensions, for which packages are installed; nil if there is none.
	Python func() (string, error)
	// Force installs a plugin even if Check finds errors.
	Force bool
	// Check checks the source of a plugin; nil means no check.
	Check Checker
	// Convert converts plugins of another agent; nil means that none are installed.
	Convert Converter
	// BuiltinTools are the names of built-in tools. A plugin's tool may have such a name only if the plugin overrides the
	// built-in tool.
	BuiltinTools []string
	// Grant is called before plugins that ask for something are installed. The list holds all that they ask for or, at an
	// update, what they ask for beyond the installed version. An error stops the installation. A nil Grant allows everything.
	Grant func(list []Facts) error
	// DryRun ends an update before it changes anything: Grant is not called, and no files are exchanged.
	DryRun bool
	// Confirm is called before files are removed or replaced that cannot be reinstalled unchanged. An error keeps them. A nil Confirm
	// allows it.
	Confirm func(Handmade) error
	// Keep is a directory of aura's state for copies of such files; empty means that there are none.
	Keep string
	// Global is set if the place is the user's home, which commands reach with --global.
	Global bool
	// Ref is the branch or tag that an update changes to; empty means that of the installed version.
	Ref string
	// Signing returns what holds for the signatures of a source whose plugins are installed into a home; nil looks at none.
	Signing func(home, source string) signature.Policy
	// Index returns what an index says now about the plugin of a name; nil refuses to update what was installed from an index.
	Index func(index, plugin string) (*Expected, error)
	// Accept is what an update accepts beyond what a signed version permits by itself.
	Accept Acceptance
	// Inspect is called with what is about to be installed, before the user is asked. An error stops the installation. A nil Inspect
	// allows everything.
	Inspect func(context.Context, Staged) error
	// Progress is called with the number of bytes received so far; nil means no reports.
	Progress func(received int64)
	// Waiting is called before waiting for another process that changes the plugins in a directory; nil means no reports.
	Waiting func(dir string)
	// Now returns the time of installation; nil means the system clock.
	Now func() time.Time
}

// Acceptance is what a user accepts of an update.
type Acceptance struct {
	// Signer is the fingerprint of a key that counts in the place of that of the installed version or of its index, or AcceptUnsigned.
	Signer string
	// Rewritten accepts a commit that does not follow the installed one.
	Rewritten bool
}

// Finding is a problem that a check found in a plugin's source.
type Finding struct {
	// File is relative to the plugin's directory. Line is 0 if the finding has no line.
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

// Checker checks the plugin in a directory. A plugin with errors is not installed.
type Checker func(dir string) (warnings, errors []Finding)

// grant calls Grant with the plugins of a list that ask for something.
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

var simple = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}._+-]+$`) })

// word returns a name quoted for a command line.
func word(name string) string {
	if simple().MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// join formats names for a sentence.
func join(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
