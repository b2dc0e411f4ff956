package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/supply/install"
)

// configuration reports errors in the files of the homes, and settings in these files that have no effect.
func (p patient) configuration(ctx context.Context) []Check {
	if p.failed != nil {
		return []Check{{Area: "configuration", Name: "files", Status: Error, Detail: p.failed.Error(), Remedy: remedyFor(p.failed, "correct the file; aura does not start before that")}}
	}
	var out []Check
	if u := p.listing.Untrusted; u != nil {
		remedy := "'aura trust' trusts the directory; --safe ignores its files"
		if u.Fault != nil {
			remedy = "correct the file; aura does not start before that, except with --safe, which ignores the files of the directory"
		}
		out = append(out, Check{Area: "configuration", Name: "trust", Status: Warning, Detail: u.Notice(), Remedy: remedy})
	}
	seen := map[string]bool{}
	for _, refused := range p.listing.Refused {
		seen[refused.Error()] = true // the area of the policy has it
	}
	warn := func(name string, texts ...string) {
		for _, text := range texts {
			if !seen[text] {
				seen[text] = true
				out = append(out, Check{Area: "configuration", Name: name, Status: Warning, Detail: text, Remedy: remedies[name]})
			}
		}
	}
	for _, fault := range p.listing.Faults {
		out = append(out, Check{Area: "configuration", Name: "files", Status: Error, Detail: fault.Error(), Remedy: remedyFor(fault, "correct the file; aura does not start before that")})
	}
	warn("files", p.listing.Warnings()...)
	for _, text := range p.listing.Dangling() {
		out = append(out, Check{Area: "configuration", Name: "references", Status: Error, Detail: text, Remedy: "correct the name, or configure what it names"})
	}
	found, err := p.toolbox(ctx)
	for _, conflict := range found.conflicts {
		out = append(out, Check{Area: "configuration", Name: "tools", Status: Error, Detail: conflict.Error(), Remedy: "remove or rename one of the two; aura does not start before that"})
	}
	warn("settings", found.roles...)
	warn("tools", found.notices...)
	if err != nil {
		out = append(out, Check{Area: "configuration", Name: "tools", Status: Error, Detail: err.Error(), Remedy: remedyFor(err, "'aura tools list' repeats this")})
	}
	homes := make([]string, 0, len(p.listing.Homes))
	for _, h := range slices.Backward(p.listing.Homes) {
		homes = append(homes, h.Dir)
	}
	named := ""
	if p.Session.Config.Home != nil {
		named = *p.Session.Config.Home
	}
	if c := homesCheck(homes, named); c.Status != OK || len(out) == 0 {
		out = append(out, c)
	}
	return out
}

// homesCheck reports which directories of configuration exist. named is the one that the user named; it may be empty.
func homesCheck(homes []string, named string) Check {
	missing := func(dir string) bool {
		_, err := os.Stat(dir)
		return errors.Is(err, fs.ErrNotExist)
	}
	c := Check{Area: "configuration", Name: "files", Status: OK}
	if named != "" && missing(named) {
		c.Status, c.Detail, c.Remedy = Warning, "the directory "+named+" does not exist, so nothing is read from it", "create it, or correct --home"
		return c
	}
	if c.Detail = strings.Join(slices.DeleteFunc(homes, missing), ", "); c.Detail == "" {
		c.Detail = "there are none: aura uses its defaults"
	}
	return c
}

var remedies = map[string]string{
	"files":    "correct the file, or remove it",
	"settings": "correct the name, or remove the setting",
	"tools":    "'aura tools list' shows all tools",
}

// toolFindings holds what was found while the tools were gathered.
type toolFindings struct {
	// notices were reported meanwhile. roles are warnings about the settings of agents and modes.
	notices, roles []string
	// conflicts keep a session from starting.
	conflicts []error
}

// toolbox gathers the tools as 'aura tools list' does.
func (p patient) toolbox(ctx context.Context) (found toolFindings, err error) {
	tools := p.Session.Toolbox()
	tools.Listing, tools.Notify = true, func(text string) { found.notices = append(found.notices, text) }
	box, err := inspect.OpenToolbox(ctx, tools)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	found.conflicts = box.Conflicts()
	found.notices = slices.DeleteFunc(found.notices, func(text string) bool {
		return slices.ContainsFunc(found.conflicts, func(err error) bool { return strings.HasPrefix(text, err.Error()) })
	})
	found.roles, err = box.Warnings()
	return found, err
}

// plugins checks the files of the plugins in use, without running them.
func (p patient) plugins(context.Context) []Check {
	if p.failed != nil {
		return nil
	}
	entries, err := p.listing.Entries()
	if err != nil {
		return []Check{{Area: "plugins", Name: "plugins", Status: Error, Detail: err.Error(), Remedy: "'aura plugins check' lists what is wrong"}}
	}
	var out []Check
	sound := 0
	for _, e := range entries {
		if e.Status != setup.StatusEnabled && e.Status != setup.StatusUnavailable || p.Session.WithoutPlugins {
			continue
		}
		if c := p.plugin(e); c.Status == OK {
			sound++
		} else {
			out = append(out, c)
		}
	}
	for _, text := range setup.RootNotices(p.listing.Config) {
		out = append(out, Check{Area: "plugins", Name: "plugins", Status: Warning, Detail: text, Remedy: "correct the name, or remove it; docs/plugins.md says where plugins are"})
	}
	if len(out) == 0 {
		out = append(out, Check{Area: "plugins", Name: "plugins", Status: OK, Detail: fmt.Sprintf("%d in use", sound)})
	}
	return out
}

func (p patient) plugin(e setup.Entry) Check {
	c := Check{Area: "plugins", Name: e.Name, Status: OK, Remedy: fmt.Sprintf("'aura plugins check %s' shows details", e.Name)}
	if e.Status == setup.StatusUnavailable {
		c.Status, c.Detail, c.Remedy = Warning, e.Err.Error(), "without Python, extensions are not loaded; everything else works"
		return c
	}
	if e.Err != nil {
		c.Status, c.Detail, c.Remedy = Error, e.Err.Error(), remedyFor(e.Err, c.Remedy)
		if _, changed := errors.AsType[*install.ChangedError](e.Err); changed {
			c.Remedy = fmt.Sprintf("'aura plugins update %s' restores it, 'aura plugins trust %[1]s' accepts the files", e.Name)
		}
		return c
	}
	if e.Portable() {
		if faults := manifest.Faults(e.Plugin); len(faults) > 0 {
			c.Status, c.Detail = Warning, strings.Join(faults, "; ")
		}
		return c
	}
	if e.Python() {
		if err := setup.CheckExtension(e); err != nil {
			c.Status, c.Detail = Error, err.Error()
		}
		return c
	}
	unsafe := p.Session.UnsafePlugins || p.listing.Features.Plugins.Unsafe
	found, faults := 0, 0
	for _, f := range check.Dir(e.Dir, check.Options{Unsafe: unsafe}) {
		found++
		if f.Severity == check.Error {
			faults++
		}
		// Show the first error, or the first warning if there is no error.
		if found == 1 || f.Severity == check.Error && faults == 1 {
			c.Detail = f.Message
		}
	}
	switch {
	case faults > 0:
		c.Status = Error
	case found > 0:
		c.Status = Warning
	}
	if found > 1 {
		c.Detail += fmt.Sprintf(" (and %d more)", found-1)
	}
	return c
}
