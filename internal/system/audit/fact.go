package audit

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// Kind is the kind of a fact.
type Kind string

// The kinds.
const (
	// Consent is what the user agreed to or no longer agrees to: the files of a directory.
	Consent Kind = "consent"
	// Approval is the user's answer to the question whether a tool call may run.
	Approval Kind = "approval"
	// Denied is a tool call that was refused.
	Denied Kind = "denied"
	// Network is a connection, or a name, that was refused.
	Network Kind = "network"
	// Install is a change of the plugins that are installed.
	Install Kind = "install"
	// Load is a process that runs a plugin from now on.
	Load Kind = "load"
	// Crash is a process of a plugin that ended or was killed. Quarantine is a plugin that is not started again.
	Crash      Kind = "crash"
	Quarantine Kind = "quarantine"
	// Lost says how many lines before this one were not written.
	Lost Kind = "lost"
)

// Kinds returns all kinds, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{Consent, Approval, Denied, Network, Install, Load, Crash, Quarantine, Lost}
}

// Fact is what a line reports. Texts may contain anything: the line has them without control characters, and shortened.
type Fact struct {
	Kind Kind `json:"kind"`
	// Action says what happened, such as "added".
	Action string `json:"action,omitempty"`
	// Name is what the fact is about: a directory, a tool, a host or a plugin.
	Name string `json:"name,omitempty"`
	// By is who decided or acted: a rule, a plugin, a program.
	By string `json:"by,omitempty"`
	// Session is empty outside of sessions.
	Session string `json:"session,omitempty"`
	// Hash is that of the content: of the files of a plugin, or of those that a consent covers.
	Hash string `json:"hash,omitempty"`
	// Text is the reason, or the call.
	Text string `json:"text,omitempty"`
}

// Line is a line of the log.
type Line struct {
	At time.Time `json:"at"`
	// Seq counts the lines of a run from 1. A number that is missing is a line that was lost; a number that is there twice was sent twice.
	Seq uint64 `json:"seq"`
	// Run is a random name of the process, because numbers of processes are used again.
	Run     string `json:"run"`
	Process int    `json:"process"`
	// User is empty if the system has no name for the number UID.
	User string `json:"user,omitempty"`
	UID  string `json:"uid,omitempty"`
	Host string `json:"host,omitempty"`
	// Policy is the hash of the policy of the machine.
	Policy string `json:"policy,omitempty"`
	Fact
}

// maxText is the size of the longest text of a fact, in bytes. A line fits into a message of syslog.
const maxText = 1000

// bounded returns the fact with shortened texts.
func (f Fact) bounded(hide func(string) string) Fact {
	for _, text := range []*string{&f.Action, &f.Name, &f.By, &f.Session, &f.Hash, &f.Text} {
		*text = hide(*text)
		if len(*text) > maxText {
			*text = limit.Cut(*text, maxText, "a text in the audit log")
		}
	}
	return f
}

// encode returns the line with its newline. No text can end it early, or send anything to a terminal.
func (l Line) encode() ([]byte, error) {
	raw, err := json.Marshal(l)
	return append(plaintext.JSON(raw), '\n'), err
}

// current is the log of the process.
var current atomic.Pointer[Log]

// Use makes a log that of the process; nil for none.
func Use(l *Log) { current.Store(l) }

// Record writes a fact to the log of the process, if there is one. It may be called from any goroutine. After an error, what the fact reports
// must not happen.
func Record(f Fact) error { return current.Load().Record(f) }
