// Package doctor checks whether aura can work on this machine and in this directory: its programs, the kernel, the configuration,
// plugins, providers and disks. A check tries the thing itself where that does no harm. It changes nothing, and starts nothing of a
// project that is not trusted.
package doctor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/redact"
	"github.com/idelchi/aura/internal/setup"
)

// Status says how a check went.
type Status string

// The statuses, from best to worst.
const (
	// OK needs no attention.
	OK Status = "ok"
	// Note is a fact that some users want to know. It needs no attention either.
	Note Status = "note"
	// Warning means that aura works, but not with everything that it has or that the configuration asks for.
	Warning Status = "warning"
	// Error means that something that is configured or needed does not work.
	Error Status = "error"
)

// Check is the result of one check.
type Check struct {
	// Area groups checks, such as "disk". Name is what was checked, such as a provider or a directory.
	Area   string `json:"area"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Detail is what was found.
	Detail string `json:"detail"`
	// Remedy is what the user can do; empty if nothing is to be done.
	Remedy string `json:"remedy,omitempty"`
}

// Report is the result of all checks.
type Report struct {
	// Status is the worst of all checks.
	Status Status  `json:"status"`
	Checks []Check `json:"checks"`
}

// Count returns how many checks have a status.
func (r Report) Count(s Status) int {
	n := 0
	for _, c := range r.Checks {
		if c.Status == s {
			n++
		}
	}
	return n
}

// Options are what the checks are made for.
type Options struct {
	// Session is what the command line asks of a session: its configuration, its gate, its agent and its mode.
	Session app.Options
	// Terminal are facts that only the command line knows.
	Terminal Terminal
	// Timeout bounds each check that waits for something else: a provider, a program.
	Timeout time.Duration
}

// patient is what is checked, once it is known.
type patient struct {
	Options
	// listing is the configuration. Without one that can be read, it only holds paths, and failed is the error.
	listing app.Listing
	failed  error
}

// Run makes all checks, side by side. Its error is that the working directory cannot be determined, or the end of the context.
func Run(ctx context.Context, o Options) (Report, error) {
	p := patient{Options: o}
	if p.listing, p.failed = o.Session.Gate.List(o.Session.Config); p.failed != nil {
		located, err := config.Locate(o.Session.Config)
		if err != nil {
			return Report{}, err
		}
		p.listing = app.Listing{Config: located, Text: located}
	}
	areas := []func(context.Context) []Check{p.programs, p.system, p.sandbox, p.helpers, p.configuration, p.plugins, p.providers, p.disks, p.terminal}
	found := make([][]Check, len(areas))
	var all sync.WaitGroup
	for i, area := range areas {
		all.Go(func() { found[i] = area(ctx) })
	}
	all.Wait()
	return conclude(slices.Concat(found...), setup.Secrets(p.listing.Config, nil)), ctx.Err()
}

// conclude makes a report without secrets.
func conclude(checks []Check, secrets *redact.Redactor) Report {
	r := Report{Status: OK, Checks: []Check{}}
	for _, c := range checks {
		c.Name, c.Detail, c.Remedy = secrets.String(c.Name), secrets.String(c.Detail), secrets.String(c.Remedy)
		r.Checks = append(r.Checks, c)
		if c.Status == Error || c.Status == Warning && r.Status == OK {
			r.Status = c.Status
		}
	}
	return r
}
