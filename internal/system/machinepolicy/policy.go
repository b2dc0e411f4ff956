package machinepolicy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/system/signedpolicy"
)

// Policy is the policy of a machine. It never changes. The zero value, and a nil Policy, permit everything.
type Policy struct {
	documents []document
}

// Rule is one rule of a policy: a key of a file, with what it says.
type Rule struct {
	Key  string `json:"key"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Text is the value as a reader of the file would recognise it.
	Text string `json:"value"`
}

// String returns the rule with its place, for messages.
func (r Rule) String() string {
	if r.Text == "" {
		return fmt.Sprintf("%s (%s:%d)", r.Key, r.File, r.Line)
	}
	return fmt.Sprintf("%s: %s (%s:%d)", r.Key, r.Text, r.File, r.Line)
}

// RefusalError is the error for what a rule does not permit.
type RefusalError struct {
	// What is not permitted, such as "the provider openai".
	What string
	Rule Rule
}

func (r *RefusalError) Error() string {
	return fmt.Sprintf("the policy of this machine does not permit %s: %s", r.What, r.Rule)
}

// Error means that the policy of this machine cannot be used. aura then stops.
type Error struct{ Err error }

func (e *Error) Error() string {
	return fmt.Sprintf("reading the policy of this machine: %v; aura runs nothing until the administrator corrects it ('aura policy check' shows all faults)", e.Err)
}

// Unwrap returns the fault.
func (e *Error) Unwrap() error { return e.Err }

// Read returns the policy of this machine. It is empty if there is none. Every error is an *Error.
func Read() (*Policy, error) {
	p, err := thisMachine().read()
	if err == nil {
		p, err = p.complete(context.Background(), signedpolicy.Defaults())
	}
	if err == nil {
		err = p.Outdated(build.Version)
	}
	if err != nil {
		return nil, &Error{err}
	}
	return p, nil
}

// ReadAll is like Read, but reads a policy that needs a newer version of aura. Its errors are plain.
func ReadAll() (*Policy, error) { return thisMachine().read() }

// Parse returns the policy of one document. The name is used in rules and errors. Every fault has its line.
func Parse(file string, data []byte) (*Policy, error) { return (*Policy)(nil).With(file, data) }

// With returns the policy together with one more document, which can only restrict it further. A conflict is an error that names the rules.
func (p *Policy) With(file string, data []byte) (*Policy, error) {
	d, err := decode(file, data)
	if err != nil {
		return nil, err
	}
	out := &Policy{}
	if p != nil {
		out.documents = slices.Clone(p.documents)
	}
	out.documents = append(out.documents, d)
	return out, out.conflict()
}

// Empty reports whether there is no policy on this machine.
func (p *Policy) Empty() bool { return p == nil || len(p.documents) == 0 }

// Files returns the paths of the files, in the order in which they were read.
func (p *Policy) Files() []string {
	var out []string
	for _, d := range p.all() {
		out = append(out, d.file)
	}
	return out
}

// Hash identifies the policy: the SHA-256 of its documents in hexadecimal digits, or "" if there is none.
func (p *Policy) Hash() string {
	if p.Empty() {
		return ""
	}
	h := sha256.New()
	for _, d := range p.documents {
		fmt.Fprintf(h, "%d %s\n", len(d.data), d.data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (p *Policy) all() []document {
	if p == nil {
		return nil
	}
	return p.documents
}
