// Package doctor checks whether aura can work on this machine and in this directory. It checks the programs, the kernel, the
// configuration, plugins, providers and disks. A check tries the real operation if that does no harm. The package changes
// nothing, and starts no program of an untrusted project.
package doctor

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Status is the result of a check.
type Status string

// The statuses, from best to worst.
const (
	// OK means that the user need not act.
	OK Status = "ok"
	// Note is a fact that some users want to know. The user need not act on it.
	Note Status = "note"
	// Warning means that aura works, but without some feature that it has or that the configuration asks for.
	Warning Status = "warning"
	// Error means that something configured or required does not work.
	Error Status = "error"
)

// Check is the result of one check.
type Check struct {
	// Area groups checks, such as "disk". Name is the thing that was checked, such as a provider or a directory.
	Area   string `json:"area"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	// Detail is the finding.
	Detail string `json:"detail"`
	// Remedy is what the user can do. It is empty if there is nothing to do.
	Remedy string `json:"remedy,omitempty"`
}

// Report is the result of all checks.
type Report struct {
	// Status is the worst status of all checks.
	Status Status  `json:"status"`
	Checks []Check `json:"checks"`
}

// Count returns the number of checks that have the status.
func (r Report) Count(s Status) int {
	n := 0
	for _, c := range r.Checks {
		if c.Status == s {
			n++
		}
	}
	return n
}

// Options configures the checks.
type Options struct {
	// Session holds the session options from the command line: its configuration, its gate, its agent and its mode.
	Session app.Options
	// Terminal holds facts that only the command line knows.
	Terminal Terminal
	// Timeout limits each check that waits for a provider or a program.
	Timeout time.Duration
}

// patient holds the state that the checks examine.
type patient struct {
	Options
	// listing is the configuration. If the configuration cannot be read, listing holds only paths, and failed is the error.
	listing gate.Listing
	failed  error
}

// Run performs all checks in parallel. It returns an error if the working directory cannot be determined or the context ends.
func Run(ctx context.Context, o Options) (Report, error) {
	p := patient{Options: o}
	if p.listing, p.failed = o.Session.Gate.List(o.Session.Config); p.failed != nil {
		located, err := config.Locate(o.Session.Config)
		if err != nil {
			return Report{}, err
		}
		p.listing = gate.Listing{Config: located, Text: located}
	}
	areas := []func(context.Context) []Check{p.programs, p.system, p.machinePolicy, p.sandbox, p.helpers, p.configuration, p.plugins, p.providers, p.servers, p.disks, p.terminal}
	found := make([][]Check, len(areas))
	var all sync.WaitGroup
	for i, area := range areas {
		all.Go(func() { found[i] = area(ctx) })
	}
	all.Wait()
	return conclude(slices.Concat(found...), setup.Secrets(p.listing.Config, nil)), ctx.Err()
}

// conclude builds the report and removes secrets from it.
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
