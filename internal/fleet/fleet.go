// Package fleet defines what submitters, workers and readers of a fleet agree on: the records in the queue, their names and their
// limits. Records come from other machines, so every reader checks them.
package fleet

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/system/network"
)

// Format is the version of the records. It increases when an older aura would misread a record.
const Format = 1

// NetworkFormat is the version of a task that sets Network. An older aura does not know the field, and would run the task with the
// network of the worker.
const NetworkFormat = 2

// The limits of a batch and of what a worker brings back.
const (
	// MaxTasks is the largest number of tasks in a batch.
	MaxTasks = 100_000
	// MaxPrompt is the size of the largest prompt, in bytes.
	MaxPrompt = 100 << 10
	// MaxPrompts is the largest number of prompts of a task.
	MaxPrompts = 20
	// MaxTask is the size of the largest task as a record, in bytes.
	MaxTask = 512 << 10
	// MaxFinal is the size of the largest final text, in bytes. A longer text is cut.
	MaxFinal = 64 << 10
	// MaxBlob is the size of the largest patch, journal or collected file, in bytes.
	MaxBlob = 64 << 20
	// MaxCollected is the largest number of collected files of a task. MaxCollectedBytes is their size together.
	MaxCollected      = 1000
	MaxCollectedBytes = 256 << 20
	// MaxArchive is the size of the largest packed directory, in bytes, packed and unpacked. MaxArchiveFiles is the number of files in it.
	MaxArchive      = 1 << 30
	MaxArchiveFiles = 100_000
	// MaxDeaths is how many workers a task may kill before it is set aside.
	MaxDeaths = 3
	// MaxSlowed is how often a task is put back because its provider asked to slow down.
	MaxSlowed = 20
)

// name is what a batch and a task can be called. It is part of subjects, of keys and of file names.
var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`) })

// CheckName returns an error if a text cannot be the name of a batch or the id of a task.
func CheckName(text string) error {
	if !name().MatchString(text) {
		return fmt.Errorf("%q cannot be used: write 1 to 64 letters, digits, - and _, the first a letter or a digit", text)
	}
	return nil
}

// variable is what an environment variable can be called.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })

// CheckVariable returns an error if a text cannot be the name of an environment variable.
func CheckVariable(text string) error {
	if !variable().MatchString(text) {
		return fmt.Errorf("%q is not the name of an environment variable", text)
	}
	return nil
}

// Role is who works on a task. Empty fields leave the choice to the worker's configuration.
type Role struct {
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Network is the value of --network; see network.ParseSetting.
	Network string `json:"network,omitempty"`
}

// Bounds is what a task may use. Zero means no limit beyond the worker's configuration.
type Bounds struct {
	Timeout     time.Duration `json:"timeout_ns,omitempty"`
	MaxSteps    int           `json:"max_steps,omitempty"`
	TokenBudget int           `json:"token_budget,omitempty"`
	// CostUSD is in US dollars.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Workspace is the directory that a task works in. At most one of Git and Archive is set; neither means an empty directory.
type Workspace struct {
	Git string `json:"git,omitempty"`
	Ref string `json:"ref,omitempty"`
	// Archive is the SHA-256 of a packed directory, in hexadecimal. It is also the name under which the queue has it.
	Archive string `json:"archive,omitempty"`
}

// Task is one unit of work, as it is queued.
type Task struct {
	Version int    `json:"v"`
	Batch   string `json:"batch"`
	ID      string `json:"id"`
	Role
	Bounds

	Prompts   []string  `json:"prompts"`
	Workspace Workspace `json:"workspace"`
	// Collect holds patterns of files to bring back.
	Collect []string `json:"collect,omitempty"`
	// Env names the variables of the worker that the task needs.
	Env []string `json:"env,omitempty"`
	// Trust is the hash that the workspace must have so that its own configuration takes effect: a commit, or the SHA-256 of an
	// archive. Empty means that the configuration of the workspace is ignored.
	Trust string `json:"trust,omitempty"`
}

// Key returns the name of the task in the queue.
func (t Task) Key() string { return t.Batch + "." + t.ID }

// Check returns an error if a task from the queue cannot be run as it is.
func (t Task) Check() error {
	if t.Version > NetworkFormat {
		return &VersionError{What: "a task", Has: t.Version}
	}
	if err := errors.Join(CheckName(t.Batch), CheckName(t.ID)); err != nil {
		return err
	}
	for _, v := range t.Env {
		if err := CheckVariable(v); err != nil {
			return err
		}
	}
	if t.Network != "" {
		if _, err := network.ParseSetting(t.Network); err != nil {
			return fmt.Errorf("network: %w", err)
		}
	}
	switch {
	case len(t.Prompts) == 0 || len(t.Prompts) > MaxPrompts:
		return fmt.Errorf("it has %d prompts; 1 to %d are possible", len(t.Prompts), MaxPrompts)
	case t.Timeout < 0 || t.MaxSteps < 0 || t.TokenBudget < 0 || t.CostUSD < 0:
		return errors.New("one of its limits is negative")
	}
	for i, p := range t.Prompts {
		if err := CheckPrompt(p); err != nil {
			return fmt.Errorf("prompt %d: %w", i+1, err)
		}
	}
	for _, glob := range t.Collect {
		if err := CheckGlob(glob); err != nil {
			return err
		}
	}
	return t.Workspace.Check()
}

// VersionError means that a record was written by a newer aura.
type VersionError struct {
	What string
	Has  int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has format %d, but this aura knows format %d: update aura on this machine", e.What, e.Has, Format)
}

// Limits bound a batch, or the whole fleet.
type Limits struct {
	// Parallel is how many tasks may run at once, by provider. The key * is for each provider that is not named.
	Parallel map[string]int `json:"parallel,omitempty"`
	// Tokens and CostUSD are for all tasks together. Zero is no limit.
	Tokens  int     `json:"tokens,omitempty"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	// Stop ends the remaining tasks when Tokens or CostUSD are used up. Otherwise they wait until the limit is raised.
	Stop bool `json:"stop,omitempty"`
}

// Of returns how many tasks may run at once at a provider; 0 is no limit.
func (l Limits) Of(provider string) int {
	if n, ok := l.Parallel[provider]; ok {
		return n
	}
	return l.Parallel["*"]
}

// Counts reports whether tokens or cost are limited.
func (l Limits) Counts() bool { return l.Tokens > 0 || l.CostUSD > 0 }

// Spent is what tasks used.
type Spent struct {
	Tokens  int     `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
}

// Exceeds reports whether the limits permit no further task.
func (s Spent) Exceeds(l Limits) bool {
	return l.Tokens > 0 && s.Tokens >= l.Tokens || l.CostUSD > 0 && s.CostUSD >= l.CostUSD
}

// BatchState is what a batch is doing.
type BatchState string

// The states of a batch.
const (
	// BatchFilling is a batch whose tasks are being queued. A submitter that dies leaves it so; submitting again completes it.
	BatchFilling  BatchState = "filling"
	BatchOpen     BatchState = "open"
	BatchCanceled BatchState = "canceled"
)

// Batch is the record of a batch.
type Batch struct {
	Version   int        `json:"v"`
	Name      string     `json:"name"`
	State     BatchState `json:"state"`
	Tasks     int        `json:"tasks"`
	Submitted time.Time  `json:"submitted"`
	Limits    Limits     `json:"limits"`
	// Digest is the SHA-256 of the tasks. It is also the name of the object that lists them.
	Digest string `json:"digest"`
}

// Check returns an error if a record from the queue cannot be used.
func (b Batch) Check() error {
	if b.Version > Format {
		return &VersionError{What: "batch " + b.Name, Has: b.Version}
	}
	if b.Tasks < 0 || b.Tasks > MaxTasks {
		return fmt.Errorf("batch %s has %d tasks", b.Name, b.Tasks)
	}
	return CheckName(b.Name)
}

// Progress is the record of a task that was begun and has no result yet. Whoever changes it must have read its last version, so a
// worker that lost the task notices at its next write.
type Progress struct {
	Version int `json:"v"`
	// Attempt counts the starts of the task, from 1.
	Attempt int       `json:"attempt"`
	Worker  string    `json:"worker"`
	Started time.Time `json:"started"`
	// Running is false after a worker handed the task back.
	Running bool `json:"running"`
	// Deaths is how many workers ended while they worked on the task. Slowed is how often the provider asked to slow down.
	Deaths int `json:"deaths,omitempty"`
	Slowed int `json:"slowed,omitempty"`
	// Used is the time that earlier attempts took, as far as it was recorded.
	Used time.Duration `json:"used_ns,omitempty"`
	// Words are the last words of the task.
	Words      string      `json:"words,omitempty"`
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
	// Seal protects the record; see SealProgress. It is empty without a key.
	Seal string `json:"seal,omitempty"`
}

// Checkpoint is what another worker needs to continue a task.
type Checkpoint struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Done is how many prompts are finished. Begun reports whether the next one was answered at least once.
	Done  int  `json:"done"`
	Begun bool `json:"begun,omitempty"`
	// Requests is how many model calls were made so far.
	Requests int `json:"requests"`
	// Failed is the error of the first finished prompt that failed, and Class its class.
	Failed string `json:"failed,omitempty"`
	Class  string `json:"class,omitempty"`
	// Journal ends with what was counted so far.
	Journal Blob `json:"journal"`
	// Base is the commit or the hash of the archive that Patch changes; empty for an empty workspace.
	Base string `json:"base,omitempty"`
	// Patch holds the changes of the workspace.
	Patch Blob `json:"patch,omitzero"`
}
