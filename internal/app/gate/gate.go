// Package gate loads the configuration for all commands. What the files of a project ask for takes effect only with the user's consent.
package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/internal/system/trust"
)

// Answer is the user's choice for a project that is not trusted.
type Answer int

// The answers.
const (
	// AnswerQuit starts nothing.
	AnswerQuit Answer = iota
	// AnswerDirectory trusts the directory, even if its files change.
	AnswerDirectory
	// AnswerFiles trusts the files as they are now.
	AnswerFiles
	// AnswerSafe excludes the project's files.
	AnswerSafe
)

// Gate loads the configuration for all commands. The requests of a project's files take effect only with the user's consent.
// The zero value trusts what the user agreed to before, and never asks. A gate is used for one command line and asks once.
type Gate struct {
	// Trust lets everything take effect in this run. Safe excludes the configuration of the working directory.
	Trust, Safe bool
	// Ask asks the user; nil if no user can be asked.
	Ask func(context.Context, *UntrustedError) (Answer, error)
	// Tell receives notices, each once; nil drops them.
	Tell func(text string)

	mu sync.Mutex
	// loaded is the trust of the configuration that was loaded last.
	loaded frontend.Trust
	// consented reports whether the project took effect in this run because of a recorded consent.
	consented bool
	// answered holds the user's answers in this run, by directory. told holds the notices that were already given.
	answered map[string]answered
	told     map[string]bool
	// began is when the configuration was first loaded. open reports whether confined code could write what consents cover since
	// then.
	began time.Time
	open  bool
	// recorded is set once the audit log has that the project takes effect without a consent that is stored.
	recorded bool
	// narrowed holds the directories whose consent aura narrowed itself. The user has not withdrawn it, so what runs goes on.
	narrowed map[string]bool
}

// answered is an answer that is valid for this run, even if it could not be recorded.
type answered struct {
	safe    bool
	consent trust.Consent
}

// Load reads the configuration for a command that starts things. In a directory that the user has not agreed to, Load asks the
// user, or fails with an *UntrustedError.
func (g *Gate) Load(ctx context.Context, o config.Options) (*config.Config, error) {
	return g.load(ctx, o, g.Ask)
}

// Reload reads the configuration again in a running session. It never asks. If the user has withdrawn the consent for the project,
// it reads the configuration without the project.
func (g *Gate) Reload(ctx context.Context, o config.Options) (*config.Config, error) {
	c, err := g.load(ctx, o, nil)
	g.mu.Lock()
	consented, narrowed := g.consented, g.narrowed
	g.mu.Unlock()
	if u, ok := errors.AsType[*UntrustedError](err); ok && consented && !narrowed[u.Dir] && withdrawn(o, u.Dir) != nil {
		g.Report(u.Dir + " is no longer trusted, so /reload leaves out everything in it")
		o.Safe = true
		c, err = g.load(ctx, o, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("reloading: everything stays as it was: %w", err)
	}
	return c, nil
}

func (g *Gate) load(ctx context.Context, o config.Options, ask func(context.Context, *UntrustedError) (Answer, error)) (*config.Config, error) {
	g.dropAbsent(o)
	g.Recheck(o)
	v, err := g.decide(o)
	if err != nil {
		return nil, err
	}
	if v.untrusted != nil && ask != nil {
		if v, err = g.question(ctx, o, v, ask); err != nil {
			return nil, err
		}
	}
	if v.untrusted != nil {
		return nil, v.untrusted
	}
	if err := g.recordOnce(o, v.found); err != nil {
		return nil, err
	}
	o.Safe = o.Safe || v.safe
	c, err := config.Load(o)
	if err == nil {
		g.tellHiding(o, v)
		c.Agreed, c.Covered = v.agreed, g.covered(o)
		if v.pinned {
			c.Unchanged = func() error { return g.unchanged(o) }
		}
		if v.recorded {
			c.Consented = func() error { return withdrawn(o, v.found.Dir) }
		}
		g.Report(c.Notices...)
		g.reportFaults(c)
		g.mu.Lock()
		g.loaded, g.consented = v.standing(), g.consented || v.recorded
		g.mu.Unlock()
	}
	return c, err
}

// recordOnce writes to the audit log that a project takes effect because the command line says so.
func (g *Gate) recordOnce(o config.Options, found config.Found) error {
	by := "--trust"
	switch {
	case o.Safe || g.Safe || found.None() || !g.Trust && len(o.Configs) == 0:
		return nil
	case !g.Trust:
		by = "--config"
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.recorded {
		return nil
	}
	g.recorded = true
	return trust.RecordOnce(found.Dir, by)
}

// reportFaults gives a notice for each file that is left out.
func (g *Gate) reportFaults(c *config.Config) {
	for _, fault := range c.Faults {
		g.Report(fault.Notice())
	}
}

// unchanged returns an error if the files of a project are no longer those that the user agreed to.
func (g *Gate) unchanged(o config.Options) error {
	v, err := g.decide(o)
	if err != nil || v.untrusted == nil {
		return err
	}
	return fmt.Errorf("the files of %s are no longer those that you agreed to: look at them (aura trust --show), agree again (aura trust --pinned), and /reload", v.found.Dir)
}

// withdrawn returns an error if there is no consent for a directory. A store that cannot be read withdraws nothing.
func withdrawn(o config.Options, dir string) error {
	if _, known, err := storeOf(o).Get(dir); known || err != nil {
		return nil //nolint:nilerr // see above
	}
	return fmt.Errorf("your consent for %s was withdrawn: agree again (aura trust) and /reload", dir)
}

// Standing returns the trust of the configuration that was loaded last.
func (g *Gate) Standing() frontend.Trust {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.loaded
}

// question asks the user and judges again. If the files changed since the user was asked, the answer does not cover them.
func (g *Gate) question(ctx context.Context, o config.Options, v verdict, ask func(context.Context, *UntrustedError) (Answer, error)) (verdict, error) {
	if err := v.study(o); err != nil {
		return v, err
	}
	v.untrusted.Requests, v.untrusted.Fault = v.requests, v.fault
	answer, err := ask(ctx, v.untrusted)
	if err == nil {
		err = g.applyAnswer(o, v, answer)
	}
	if err != nil {
		return v, err
	}
	return g.decide(o)
}

// applyAnswer applies the user's answer.
func (g *Gate) applyAnswer(o config.Options, v verdict, answer Answer) error {
	switch answer {
	case AnswerDirectory, AnswerFiles:
		consent, err := v.consent(answer == AnswerFiles)
		if err != nil {
			return err
		}
		// A recorded consent is read from the store, so that the user can withdraw it.
		if err := storeOf(o).Put(v.found.Dir, consent); err != nil {
			g.answer(v.found.Dir, answered{consent: consent})
			g.Report(err.Error() + "; it holds for this run")
		}
		return nil
	case AnswerSafe:
		g.answer(v.found.Dir, answered{safe: true})
		return nil
	default:
		return &QuitError{Dir: v.found.Dir}
	}
}

func (g *Gate) answer(dir string, a answered) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answered == nil {
		g.answered = map[string]answered{}
	}
	g.answered[dir] = a
}

// Report gives notices to the user, each once.
func (g *Gate) Report(texts ...string) {
	for _, text := range texts {
		g.mu.Lock()
		told := g.told[text]
		if g.told == nil {
			g.told = map[string]bool{}
		}
		g.told[text] = true
		g.mu.Unlock()
		if !told && g.Tell != nil {
			g.Tell(text)
		}
	}
}

// storeOf returns the store of the user's consents. Variables of env files do not affect its location.
func storeOf(o config.Options) trust.Store {
	environ := o.Environ
	if environ == nil {
		environ = config.ProcessEnviron()
	}
	xdg, _ := config.Lookup(environ, "XDG_STATE_HOME")
	return trust.Store{Path: state.Locate(xdg, o.UserHome, "").Trust()}
}

// sourcesOf returns the paths in a project's directory that a consent covers: its home, its env file, its extensions for Aar, its
// folders of skills and its folder of portable plugins.
func sourcesOf(f config.Found) []string {
	var out []string
	for _, path := range slices.Concat([]string{f.Home, f.EnvFile, f.Extensions()}, f.SkillFolders(), f.PluginFolders()) {
		if rel, err := filepath.Rel(f.Base, path); path != "" && err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// consent returns the user's consent to what was found.
func (v verdict) consent(pinned bool) (trust.Consent, error) {
	c := trust.Consent{Given: time.Now().UTC().Truncate(time.Second)}
	if !pinned && v.rule != config.TrustPinned {
		c.Sources = sourcesOf(v.found)
		c.Links = trust.LinksOf(v.found.Dir, c.Sources)
		return c, nil
	}
	if err := v.unreadable(); err != nil {
		return c, fmt.Errorf("files cannot be trusted as they are while the configuration cannot be read, because what a run uses is not known: "+
			"correct it, or use --trust for one run: %w", err)
	}
	c.Files, c.Variables, c.Requests = v.files, v.variables(), v.requests
	return c, v.unpinnable
}
