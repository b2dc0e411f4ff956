// Package host supervises plugins. Each plugin runs in its own child process. The package starts the children, calls them with
// a deadline, kills and restarts them, reports their health, and releases everything when it is closed.
//
// A Fleet holds one supervisor per plugin. A supervisor owns the child's log and at most one child at a time. A plugin can
// affect the caller only through a result or an error.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// The default deadlines of one call, used if the plugin's manifest sets none.
const (
	DefaultHookTimeout = 10 * time.Second
	DefaultToolTimeout = 2 * time.Minute
	DefaultLoadTimeout = 10 * time.Second
)

// Around is what surrounds the plugins in one setup of a session. A reload replaces it.
type Around struct {
	// Tool is passed to the plugins' Init functions.
	Tool sdk.ToolConfig
	// Environ holds all variables that can be granted: those of the process and those of env files.
	Environ []string
	// TaskEnv holds the variables of the running task. The same lists grant them to plugins. They take precedence over Environ.
	TaskEnv map[string]string
	// Shell runs the command of a bash: condition.
	Shell func(ctx context.Context, workdir, command string) (bool, error)
}

// around returns what surrounds a plugin.
func (o *Options) around(spec Spec) *Around { return cmp.Or(spec.around, &o.Around) }

// Options is what a fleet is started with.
type Options struct {
	Fixed
	// Around is what surrounds the plugins in the first setup. Prepare is given that of the next one.
	Around
	// Observer receives what happens to the plugins.
	Observer Observer
}

// Fixed is what stays the same in all setups of a session.
type Fixed struct {
	// Binary is the file that children are started from: the path of aura-plugin-host, or of a descriptor by which it is open.
	// Program is where the binary is located if Binary is a descriptor, because children read their own binary; empty means
	// Binary.
	Binary  string
	Program string
	// Grants keeps the files open that children may access; nil means that each child opens them itself.
	Grants *sandbox.Grants
	// Session is the location of the sockets and the status. The caller owns it and must close it after the fleet.
	Session *Session
	// CacheDir is the directory that caches the plugins' exports, by the hash of their files. Empty disables the cache.
	CacheDir string
	// Workdir is the working directory of every child.
	Workdir string
	// State changes or reads a store of a plugin; nil if there is no place for one.
	State func(ctx context.Context, plugin string, r shared.StateRequest) (shared.StateAnswer, error)
	// Now and Rand answer a plugin that asks for the time or for a random number; nil for the current time and a random number.
	Now  func(plugin string) time.Time
	Rand func(plugin string) uint64
	// Secrets are removed from logs; nil for none.
	Secrets *redact.Current
	// Lazy starts a child only at its first call if its exports are cached.
	Lazy bool
	// Compile builds the programs of interpreted plugins in the background, if their specs have one.
	Compile bool
	// Dormant starts no child before its first call, even if its exports or the availability of its tool are not known.
	Dormant bool
}

// Observer receives what happens to the plugins of a fleet. Each function may be nil. None may call the fleet.
//
// OnNotice, OnState and OnLog are called for one plugin at a time, in the order in which things happened to the plugin, and before a
// call returns whose result they explain. They may block.
type Observer struct {
	// OnNotice receives messages for the user.
	OnNotice func(Notice)
	// OnState receives every change of a plugin's state.
	OnState func(StateChange)
	// OnLog receives the lines that plugins write with sdk.Log.
	OnLog func(plugin, level, text string)
	// OnCall receives every finished call with the context that it was made with, from many goroutines.
	OnCall func(context.Context, Call)
	// OnStart receives every child that is ready, before its first call. It is called only if OnCall is set.
	OnStart func(Started)
}

// Spec describes one plugin to run.
type Spec struct {
	manifest.Plugin
	// around replaces what surrounds the plugins of the fleet, since a reload; nil before.
	around *Around
	// Config is the plugin's PluginConfig, with all layers merged.
	Config map[string]any
	// Guest is the program that runs a plugin that is not interpreted Go; nil for interpreted Go.
	Guest *shared.Guest
	// Native is the program that is compiled from the plugin; nil if the plugin is only interpreted.
	Native *Native
	// NativeError is why the plugin cannot be compiled although the user permits it; nil otherwise.
	NativeError error
	// asProgram is set while Guest is the program of Native.
	asProgram bool
	// copied is set while Dir is a copy of the source that the session loaded.
	copied bool
	// Rank precedes the name and the directory in the order of the plugins.
	Rank int
	// Unsafe permits the restricted packages.
	Unsafe bool
	// Sandbox is the policy that confines the plugin's child, which may also access its own files; nil means that the child is
	// not confined.
	Sandbox *sandbox.Policy
	// Unconfined permits that the plugin's file access is not confined, if its Sandboxable returns false.
	Unconfined bool
	// Verify is called before the plugin is loaded again in a session. Its error is the reason why the plugin must not be
	// loaded. nil always permits it.
	Verify func() error
	// Consented returns an error if the user has withdrawn the consent under which the plugin runs; nil means that the plugin needs
	// none. It is called before each start and at each change.
	Consented func() error
	// LogFile receives everything that the plugin prints. If it is empty, the output is dropped.
	LogFile string
	// DataDir is the plugin's own directory, which it may write to. If it is empty, the plugin has none.
	DataDir string
}

// Notice is a message for the user. It is never shown to the model.
type Notice struct {
	Plugin string
	Kind   NoticeKind
	Text   string
}

// NoticeKind is the subject of a notice.
type NoticeKind string

// The kinds of notices.
const (
	NoticeLoad       NoticeKind = "load_failed"
	NoticeWarning    NoticeKind = "warning"
	NoticeRestart    NoticeKind = "restarting"
	NoticeQuarantine NoticeKind = "quarantined"
	NoticeReload     NoticeKind = "reload_failed"
	NoticeBuild      NoticeKind = "build"
)

// Error is a failed call or a failed load. It names the plugin once.
type Error struct {
	Plugin string
	// Doing is the operation that failed, such as "BeforeChat" or "loading". It is empty if the error is sufficient by itself.
	Doing string
	Kind  ErrorKind
	Err   error
	// returned and reported are the results of Returned and Reported.
	returned, reported bool
}

// Returned reports whether the plugin itself returned the error in time, so that it ran as its author intended.
func (e *Error) Returned() bool { return e.returned }

// Reported reports whether a notice has already reported the error to the user: the end of the plugin's process.
func (e *Error) Reported() bool { return e.reported }

// ErrorKind describes what caused a failure and whether the child is still running.
type ErrorKind string

// The kinds of errors.
const (
	// KindPlugin is an error or a recovered panic of the plugin; the child continues to run.
	KindPlugin ErrorKind = "plugin"
	// KindCrash is a child that died during the call.
	KindCrash ErrorKind = "crash"
	// KindTimeout is a child that was killed at the deadline.
	KindTimeout ErrorKind = "timeout"
	// KindDown is a call while the plugin was not running.
	KindDown ErrorKind = "down"
	// KindLoad is a plugin that could not be loaded.
	KindLoad ErrorKind = "load"
	// KindWire is a call that could not be sent or answered; the child continues to run.
	KindWire ErrorKind = "wire"
)

func (e *Error) Error() string {
	if e.Doing == "" {
		return fmt.Sprintf("plugin %q: %v", e.Plugin, e.Err)
	}
	return fmt.Sprintf("plugin %q: %s: %v", e.Plugin, e.Doing, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// timeouts holds the deadlines of one plugin.
type timeouts struct {
	hook, tool, load time.Duration
}

func timeoutsOf(m manifest.Manifest) timeouts {
	if m.Timeout > 0 {
		return timeouts{hook: m.Timeout, tool: m.Timeout, load: m.Timeout}
	}
	return timeouts{hook: DefaultHookTimeout, tool: DefaultToolTimeout, load: DefaultLoadTimeout}
}

// Timeouts returns the deadlines of one plugin's calls: of hooks and commands, of tools, and of loading.
func Timeouts(m manifest.Manifest) (hook, tool, load time.Duration) {
	t := timeoutsOf(m)
	return t.hook, t.tool, t.load
}

// Reason returns an error of this package without the plugin's name, for contexts where the name is known.
func Reason(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Err
	}
	return err
}
