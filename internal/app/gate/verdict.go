package gate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/migrate"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/trust"
)

// verdict holds what is known about the project of a command line, and whether it may take effect.
type verdict struct {
	found config.Found
	// rule is the user's rule for consent.
	rule config.TrustRule
	// safe reports whether the project is excluded.
	safe bool
	// agreed reports whether the user has agreed to the project, for this run or for longer.
	agreed bool
	// recorded reports whether the consent is in the store of consents.
	recorded bool
	// pinned reports whether the user has agreed to the files as they are.
	pinned bool
	// text is the configuration as it is written. run is the same configuration with its variables expanded, as a run uses it; it
	// contains secrets and is never shown. requests holds what the project requests. All are nil if the files were not read.
	text, run *config.Config
	requests  []trust.Request
	// ruled says what the policy of the machine changes of it.
	ruled []string
	// files holds the hashes of the files from which requests was made. unpinnable is why there are none.
	files      map[string]string
	unpinnable error
	// fault is why the configuration cannot be read as text. runFault is why a run could not read it.
	fault, runFault error
	// untrusted is nil if everything may take effect.
	untrusted *UntrustedError
}

// judge decides whether the project of a command line may take effect. It reads what the project requests only if the decision
// depends on it.
func (g *Gate) decide(o config.Options) (verdict, error) {
	o.Safe = o.Safe || g.Safe
	found, err := config.Find(o)
	v := verdict{found: found, safe: o.Safe, agreed: g.Trust || len(o.Configs) > 0}
	if err != nil {
		return v, fmt.Errorf("loading configuration: %w", err)
	}
	if o.Safe || g.Trust || found.None() {
		return v, nil
	}
	if v.rule, err = config.Rule(o); err != nil {
		return v, err
	}
	g.mu.Lock()
	said, asked := g.answered[found.Dir]
	g.mu.Unlock()
	if v.safe = asked && said.safe; v.safe {
		return v, nil
	}
	consent, known, unreadable := storeOf(o).Get(found.Dir)
	if asked {
		consent, known = said.consent, true
	}
	sources := sourcesOf(found)
	if known && v.rule != config.TrustPinned && consent.Covers(sources) && len(consent.Moved(found.Dir, sources)) == 0 {
		v.agreed, v.recorded = true, !asked
		return v, nil
	}
	if err := v.look(o); err != nil {
		return v, err
	}
	if v.fault == nil && len(v.requests) == 0 {
		return v, nil
	}
	if known && v.rule != config.TrustPinned && v.onlySkillsAreNew(consent, sources) {
		v.agreed, v.recorded = true, !asked
		return v, nil
	}
	u := &UntrustedError{Dir: found.Dir, Base: found.Base, found: found, Requests: v.requests, Ruled: v.ruled, Fault: v.fault, Rule: v.rule, Store: unreadable}
	switch {
	case known && consent.Pinned():
		if v.covered(consent, u) {
			v.agreed, v.pinned, v.recorded = true, true, !asked
			return v, nil
		}
	case known && v.rule != config.TrustPinned:
		u.Missing, u.Moved = consent.Missing(sources), consent.Moved(found.Dir, sources)
	}
	v.untrusted = u
	return v, nil
}

// onlySkillsAreNew reports whether a consent for sources lacks only folders of skills for other agents, and these ask for nothing.
func (v *verdict) onlySkillsAreNew(consent trust.Consent, sources []string) bool {
	var folders []string
	for _, dir := range v.found.SkillFolders() {
		if rel, err := filepath.Rel(v.found.Base, dir); err == nil {
			folders = append(folders, filepath.ToSlash(rel))
		}
	}
	others := slices.DeleteFunc(consent.Missing(sources), func(s string) bool { return slices.Contains(folders, s) })
	moved := slices.DeleteFunc(consent.Moved(v.found.Dir, sources), func(s string) bool { return slices.Contains(folders, s) })
	return v.fault == nil && !consent.Pinned() && len(others) == 0 && len(moved) == 0 && !slices.ContainsFunc(v.requests, func(r trust.Request) bool {
		return slices.ContainsFunc(v.found.SkillFolders(), func(dir string) bool { return files.Within(dir, r.File) })
	})
}

// covered reports whether a consent for files covers the project. If not, it completes u with the reason.
func (v *verdict) covered(consent trust.Consent, u *UntrustedError) bool {
	if u.Fault = v.unreadable(); u.Fault == nil {
		u.Change, u.Fault = v.since(consent)
	}
	if u.Fault != nil {
		return false
	}
	u.New = consent.New(v.requests)
	return u.Change.Empty()
}

// unreadable returns why the configuration cannot be read, as text or by a run; nil if it can be read. What a run would use is not
// known then.
func (v *verdict) unreadable() error { return cmp.Or(v.fault, v.runFault) }

// since returns what changed since the user agreed to files: the files, and the variables that their values contain.
func (v *verdict) since(consent trust.Consent) (trust.Change, error) {
	files, err := trust.Hash(v.found.Base, v.found.Home, v.beside())
	change := trust.Compare(consent.Files, files)
	change.Removed = slices.DeleteFunc(change.Removed, v.movedOut)
	return change.And(trust.Compare(consent.Variables, v.variables())), err
}

// movedOut reports whether a file that is gone is state of an earlier version, which migrate.State moves out of the home.
func (v *verdict) movedOut(path string) bool {
	path = filepath.Join(v.found.Base, filepath.FromSlash(path))
	return v.found.Home != "" && slices.ContainsFunc([]string{migrate.SessionsDir, migrate.DataDir}, func(name string) bool { return files.Within(filepath.Join(v.found.Home, name), path) })
}

// variables returns what a consent for files assumes about the values of the project that contain variables. A number, a boolean
// or a duration must stay the same, because it may switch something on. Other variables must not come from an env file if they came
// from the environment of the user, or the other way around.
func (v *verdict) variables() map[string]string {
	out := map[string]string{}
	if v.run == nil {
		return out
	}
	for _, r := range v.run.References {
		if !v.found.Owns(r.Home) {
			continue
		}
		if r.Plain != "" {
			out["the value of "+r.Written] = r.Plain
		}
		from := "an env file"
		if _, set := config.Lookup(v.run.Inherited, r.Name); set {
			from = "the environment"
		}
		out["the source of ${"+r.Name+"}"] = from
	}
	return out
}

// look reads the project, as text and as a run does, and lists what it requests.
func (v *verdict) look(o config.Options) error {
	mine := o
	mine.Safe = true
	own, err := config.Load(mine)
	if err != nil {
		return err
	}
	v.run, v.runFault = v.project(o)
	o.Text = true
	if v.text, v.fault = v.project(o); v.fault == nil {
		v.requests, v.fault = requestsOf(v.text, cmp.Or(v.run, v.text), own, v.found)
		v.ruled = ruledOf(cmp.Or(v.run, v.text), own)
	}
	if v.fault != nil {
		v.text = nil
		v.requests = unknown(v.found)
	}
	return nil
}

// ruledOf lists what the policy of the machine changes of a configuration, without what it changes of that of the user alone, and without secrets. It
// looks at no plugins: listing extensions starts Python, and the user has not agreed to the project yet.
func ruledOf(c, own *config.Config) []string {
	var out []string
	known := setup.Effects(own, nil)
	for _, e := range setup.Effects(c, nil) {
		if !slices.Contains(known, e) {
			out = append(out, setup.Secrets(c, nil).String(e.What+": "+e.Rule.String()))
		}
	}
	return out
}

// project reads the configuration. A fault in the project's files is an error, also if the load leaves out what is faulty: what these files
// ask for is not known then.
func (v *verdict) project(o config.Options) (*config.Config, error) {
	c, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, fault := range c.Faults {
		if v.found.Owns(fault.Source.Home) {
			faults = append(faults, fault)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("loading configuration: %w", err)
	}
	return c, nil
}

// maxUnknown is how many files of an unreadable configuration are listed.
const maxUnknown = 1000

// unknown lists the files of a configuration that cannot be read as a whole. Each of the files may request anything.
func unknown(f config.Found) []trust.Request {
	var out []trust.Request
	add := func(path string) {
		out = append(out, trust.Request{Kind: trust.KindUnknown, Name: filepath.Base(path), File: path, Text: "may ask for anything: the configuration cannot be read"})
	}
	if f.EnvFile != "" {
		add(f.EnvFile)
	}
	dirs := append([]string{f.Extensions()}, f.PluginFolders()...)
	for _, dir := range []string{"config", "plugins", "extensions"} {
		if f.Home != "" {
			dirs = append(dirs, filepath.Join(f.Home, dir))
		}
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		// Files that cannot be read are not listed. They cannot be loaded either.
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && len(out) < maxUnknown {
				add(path)
			}
			return nil
		})
	}
	return out
}

// study hashes the files of the project and then reads them, in this order, so that a consent for the hashes never covers more
// than what was read.
func (v *verdict) study(o config.Options) error {
	if err := v.look(o); err != nil {
		return err
	}
	v.files, v.unpinnable = trust.Hash(v.found.Base, v.found.Home, v.beside())
	return v.look(o)
}

// beside returns the files and directories that count in addition to the project's home, wherever they are located: the env
// file, the extensions for Aar, the skills for other agents, the portable plugins, the files that tasks and providers read, and the directories from which plugins are loaded. Some may be located in a
// part of the home that is not hashed otherwise. Variables in their paths are expanded, as in a run.
func (v *verdict) beside() []string {
	var out []string
	for _, path := range slices.Concat([]string{v.found.EnvFile, v.found.Extensions()}, v.found.SkillFolders(), v.found.PluginFolders()) {
		if path != "" {
			out = append(out, path)
		}
	}
	if v.run == nil {
		return out
	}
	add := func(paths ...string) {
		for _, path := range paths {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.run.Tasks)) {
		if t := v.run.Tasks[name]; t.Source.Home.Dir == v.found.Home {
			add(t.EnvFiles()...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.run.Providers)) {
		if p := v.run.Providers[name]; p.File != "" && p.Source.Home.Dir == v.found.Home {
			add(p.File)
		}
	}
	for _, root := range v.run.PluginRoots() {
		if root.Home.Dir == v.found.Home && root.Dir != filepath.Join(v.found.Home, "plugins") {
			add(root.Dir)
		}
	}
	return out
}

// standing returns whether the files of the project take effect, and whether that needed consent.
func (v verdict) standing() frontend.Trust {
	switch {
	case v.found.None():
		return frontend.TrustNone
	case v.safe || v.untrusted != nil:
		return frontend.TrustExcluded
	case v.text != nil && len(v.requests) == 0:
		return frontend.TrustNone
	default:
		return frontend.TrustGiven
	}
}
