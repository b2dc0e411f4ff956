package fleet

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Status is how a task ended.
type Status string

// The ways in which a task ends.
const (
	StatusDone     Status = "done"
	StatusFailed   Status = "failed"
	StatusLimit    Status = "limit"
	StatusTimeout  Status = "timeout"
	StatusCanceled Status = "canceled"
	// StatusAside is a task that ended its worker too often.
	StatusAside Status = "aside"
)

// Statuses lists all ways in which a task ends.
func Statuses() []Status {
	return []Status{StatusDone, StatusFailed, StatusLimit, StatusTimeout, StatusCanceled, StatusAside}
}

// The classes of failures that are not a class of a provider's errors.
const (
	ClassWorkspace = "workspace"
	ClassTrust     = "trust"
	ClassEnv       = "environment"
	ClassTask      = "task"
	ClassWorker    = "worker_died"
	ClassTooLarge  = "too_large"
	ClassLimit     = "limit"
)

// Blob is data of any size: in the record if it is small, otherwise an object of the queue.
type Blob struct {
	// Data is compressed with gzip.
	Data   []byte `json:"data,omitempty"`
	Object string `json:"object,omitempty"`
	// Size and SHA256 describe the data before compression.
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// File is a file that a task brings back.
type File struct {
	// Path is relative to the workspace, with slashes.
	Path string `json:"path"`
	Blob Blob   `json:"blob"`
}

// Result is what became of a task. There is at most one for each task.
type Result struct {
	Version int    `json:"v"`
	Batch   string `json:"batch"`
	Task    string `json:"task"`
	Status  Status `json:"status"`
	// Class groups failures: a class of a provider's errors, or one of the Class constants.
	Class string `json:"class,omitempty"`
	Error string `json:"error,omitempty"`
	// Final is the last answer of the model.
	Final string `json:"final"`
	// Exit is the exit code of aura.
	Exit     int       `json:"exit"`
	Worker   string    `json:"worker"`
	Attempt  int       `json:"attempt"`
	Deaths   int       `json:"deaths,omitempty"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Provider string    `json:"provider,omitempty"`
	Model    string    `json:"model,omitempty"`
	// Requests is how many model calls were made, in all attempts.
	Requests int `json:"requests"`
	Spent
	// CostKnown is false if the price of a model is not known. CostUSD is then too small.
	CostKnown bool            `json:"cost_known"`
	Stats     json.RawMessage `json:"stats,omitempty"`
	Patch     Blob            `json:"patch,omitzero"`
	Journal   Blob            `json:"journal,omitzero"`
	Files     []File          `json:"files,omitempty"`
	// Notes says what is missing, such as files that were too large.
	Notes []string `json:"notes,omitempty"`
	// Seal protects the record; see Sealed.
	Seal string `json:"seal"`
}

// Key returns the name of the task in the queue.
func (r Result) Key() string { return r.Batch + "." + r.Task }

// Sealed returns the result with a seal over all of its fields. With a key, only holders of the key can make a seal. Without one, the
// seal only detects damage.
func (r Result) Sealed(key []byte) (Result, error) {
	r.Seal = ""
	data, err := json.Marshal(r)
	if err != nil {
		return r, fmt.Errorf("sealing the result of task %s: %w", r.Task, err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	r.Seal = hex.EncodeToString(mac.Sum(nil))
	return r, nil
}

// SealProgress returns the record of a task with a seal that only holders of the key can make. A forged checkpoint would otherwise
// become part of a result that an honest worker seals. Without a key there is no seal.
func SealProgress(p Progress, task string, key []byte) (Progress, error) {
	if p.Seal = ""; len(key) == 0 {
		return p, nil
	}
	data, err := json.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("sealing the record of task %s: %w", task, err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "progress %s\n%s", task, data)
	p.Seal = hex.EncodeToString(mac.Sum(nil))
	return p, nil
}

// Genuine reports whether the record of a task was written by a holder of the key. Without a key, every record is.
func (p Progress) Genuine(task string, key []byte) bool {
	again, err := SealProgress(p, task, key)
	return err == nil && (len(key) == 0 || hmac.Equal([]byte(again.Seal), []byte(p.Seal)))
}

// Check returns an error if a result from the queue is not what its worker wrote, or is not for this task.
func (r Result) Check(batch, task string, key []byte) error {
	if r.Version > Format {
		return &VersionError{What: "the result of task " + task, Has: r.Version}
	}
	if r.Batch != batch || r.Task != task {
		return fmt.Errorf("the result of task %s is for task %q of batch %q", task, r.Task, r.Batch)
	}
	again, err := r.Sealed(key)
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(again.Seal), []byte(r.Seal)) {
		return errTampered
	}
	if err := r.checkContent(); err != nil {
		return fmt.Errorf("the result of task %s is not one of a worker: %w", task, err)
	}
	return nil
}

// checkContent returns an error if a result has what no worker writes: more than the limits allow, or files that cannot be saved.
func (r Result) checkContent() error {
	if !slices.Contains(Statuses(), r.Status) {
		return fmt.Errorf("its status is %.40q", r.Status)
	}
	if len(r.Final) > MaxFinal+maxCut || len(r.Files) > MaxCollected {
		return fmt.Errorf("it has a final text of %d bytes and %d files", len(r.Final), len(r.Files))
	}
	var names Names
	size := int64(0)
	for _, f := range r.Files {
		if err := names.Add(f.Path); err != nil {
			return err
		}
		if size += max(f.Blob.Size, 0); size > MaxCollectedBytes {
			return fmt.Errorf("its files have more than %d MiB", MaxCollectedBytes>>20)
		}
	}
	return nil
}

// maxCut is the size of the note at the end of a text that was cut, in bytes.
const maxCut = 1 << 10

var errTampered = errors.New("the result was changed after the worker wrote it, or the worker has another AURA_FLEET_KEY: do not use it; `aura fleet retry` runs the task again")
