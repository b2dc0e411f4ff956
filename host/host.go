// Package host supervises plugins, each in a child process of its own: it starts them, calls them with a deadline, kills
// and restarts them, reports how they are, and leaves nothing behind when it is closed.
//
// A Fleet holds one supervisor per plugin. A supervisor owns at most one child at a time and the child's log. Nothing a
// plugin does reaches the caller but a result or an error.
package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/sdk"
)

// The deadlines of one call where the plugin's manifest sets none.
const (
	DefaultHookTimeout = 10 * time.Second
	DefaultToolTimeout = 2 * time.Minute
	DefaultLoadTimeout = 10 * time.Second
)

// Options are what all plugins of a fleet have in common.
type Options struct {
	// Binary is what children are started from: the path of aura-plugin-host, or of a descriptor by which it is open. Program is
	// where it lies then, for children that read themselves; empty means Binary.
	Binary  string
	Program string
	// Grants keeps open what children are granted; nil means that each child looks for itself.
	Grants *sandbox.Grants
	// Session is where sockets and status live. The caller owns it and closes it after the fleet.
	Session *Session
	// CacheDir remembers what plugins export, by the hash of their files. Empty means no memory.
	CacheDir string
	// Workdir is the working directory of every child.
	Workdir string
	// Tool is what plugins' Init functions receive.
	Tool sdk.ToolConfig
	// Environ is all that could be granted: the process's variables and those of env files.
	Environ []string
	// TaskEnv holds the variables of the running task, granted to plugins by the same lists. They win over Environ.
	TaskEnv map[string]string
	// Notify receives what the user should see. It is called from many goroutines and must not block for long.
	Notify func(Notice)
	// OnCall and OnState receive every call that has ended and every change of a plugin's state; nil if nobody listens. They are
	// called from many goroutines, OnState with a plugin's lock held, and must not block for long nor call the fleet.
	OnCall  func(Call)
	OnState func(StateChange)
	// Shell runs the command of a bash: condition.
	Shell func(ctx context.Context, workdir, command string) (bool, error)
	// Secrets are what logs do not show; nil for none.
	Secrets *redact.Current
	// Lazy starts a child only when it is first called, if what it exports is remembered.
	Lazy bool
	// Dormant starts no child before it is called, even if it is not known what that exports or whether its tool is available.
	Dormant bool
}

// Spec is one plugin to run.
type Spec struct {
	manifest.Plugin
	// Config is what the plugin reads as PluginConfig, all layers merged.
	Config map[string]any
	// Unsafe grants the restricted packages.
	Unsafe bool
	// Sandbox is what the plugin's child is confined to, beside its own files; nil means that it is not.
	Sandbox *sandbox.Policy
	// Unconfined grants that the plugin's files are not confined, if its Sandboxable returns false.
	Unconfined bool
	// Verify is asked before the plugin is loaded again in a session, and says why it may not be; nil lets it.
	Verify func() error
	// LogFile receives all that the plugin prints. Empty means that it is dropped.
	LogFile string
	// DataDir is the plugin's own directory, which it may write to. Empty means that it has none.
	DataDir string
}

// Notice is something to show to the user, and never to the model.
type Notice struct {
	Plugin string
	Kind   NoticeKind
	Text   string
}

// NoticeKind says what a notice is about.
type NoticeKind string

// The kinds of notices.
const (
	NoticeLoad       NoticeKind = "load_failed"
	NoticeWarning    NoticeKind = "warning"
	NoticeRestart    NoticeKind = "restarting"
	NoticeQuarantine NoticeKind = "quarantined"
	NoticeReload     NoticeKind = "reload_failed"
)

// Error is a call or a load that failed. It names the plugin once.
type Error struct {
	Plugin string
	// Doing is what was going on, such as "BeforeChat" or "loading"; empty where the error says all.
	Doing string
	Kind  ErrorKind
	Err   error
	// returned is what Returned says.
	returned bool
}

// Returned says that the plugin itself returned the error, in time: it ran as its author meant it to.
func (e *Error) Returned() bool { return e.returned }

// ErrorKind says whose fault a failure was and whether the child lives.
type ErrorKind string

// The kinds of errors.
const (
	// KindPlugin is an error or a recovered panic of the plugin; its child lives on.
	KindPlugin ErrorKind = "plugin"
	// KindCrash is a child that died during the call.
	KindCrash ErrorKind = "crash"
	// KindTimeout is a child that was killed at the deadline.
	KindTimeout ErrorKind = "timeout"
	// KindDown is a call while the plugin was not running.
	KindDown ErrorKind = "down"
	// KindLoad is a plugin that could not be loaded.
	KindLoad ErrorKind = "load"
	// KindWire is a call that could not be sent or answered; the child lives on.
	KindWire ErrorKind = "wire"
)

func (e *Error) Error() string {
	if e.Doing == "" {
		return fmt.Sprintf("plugin %q: %v", e.Plugin, e.Err)
	}
	return fmt.Sprintf("plugin %q: %s: %v", e.Plugin, e.Doing, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// timeouts are the deadlines that apply to one plugin.
type timeouts struct {
	hook, tool, load time.Duration
}

func timeoutsOf(m manifest.Manifest) timeouts {
	if m.Timeout > 0 {
		return timeouts{hook: m.Timeout, tool: m.Timeout, load: m.Timeout}
	}
	return timeouts{hook: DefaultHookTimeout, tool: DefaultToolTimeout, load: DefaultLoadTimeout}
}

// Timeouts are the deadlines of one plugin's calls: hooks and commands, tools, loading.
func Timeouts(m manifest.Manifest) (hook, tool, load time.Duration) {
	t := timeoutsOf(m)
	return t.hook, t.tool, t.load
}

// Reason is an error of this package without the plugin's name, for where that is known.
func Reason(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Err
	}
	return err
}
