package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/planted"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Quarantine returns the store of what confined code left where other programs run it.
func Quarantine(c *config.Config) planted.Store { return planted.Store{Dir: c.State.Quarantine()} }

// newWatch returns the watch of what confined code leaves in this place.
func (c Confinement) newWatch() *planted.Watch {
	c.place.Output = ""
	c = c.surveyed()
	policy := c.grants.Open(c.Policy(sandbox.KindShell))
	// The caches and the directories for temporary files belong to other programs: nobody works there.
	shared := slices.Concat(c.place.Writable, c.place.Caches, []string{c.place.Temp, c.place.Private})
	trees := slices.DeleteFunc(c.grants.Open(c.Policy(sandbox.KindFiles)).ReadWrite, func(tree string) bool {
		return tree != c.grants.Dir() && slices.Contains(shared, tree)
	})
	return planted.In(planted.Place{
		Workdir: c.grants.Dir(), Trees: trees, Writable: policy.ReadWrite, Protected: policy.Protected,
		Created: func(path string) bool { return !policy.Unmade(path) },
		Hides: func(path string) string {
			if !c.place.Hides([]string{path}) {
				return ""
			}
			return "while it is there, sessions in this directory do not use " + filepath.Join(c.place.Project, config.DirName)
		},
		Store: c.quarantine,
	})
}

// Watching looks at the places that other programs run before something confined runs, and returns a function that looks at them
// again. That function moves away what may not be there, writes to the repositories what was changed about branches, reports everything else
// to the user, and returns the same sentences. by is who runs.
func (c Confinement) Watching(by string) (end func() []string) {
	if !c.enabled {
		return func() []string { return nil }
	}
	watch := c.watch()
	c.syncGit("confined code")
	c.reportFound("somebody", watch.Begin())
	return func() []string { return append(c.syncGit(by), c.reportFound(by, watch.End())...) }
}

// syncGit writes to the repositories what confined code changed about branches, and reports what it did not write.
func (c Confinement) syncGit(by string) []string {
	var texts []string
	for _, refused := range c.grants.SyncGit() {
		texts = append(texts, refused.Text(by))
	}
	if len(texts) > 0 && c.found != nil {
		c.found(texts)
	}
	return texts
}

// reportFound reports findings to the user.
func (c Confinement) reportFound(by string, found []planted.Finding) []string {
	var texts, paths []string
	for _, f := range found {
		texts = append(texts, f.Text(by))
		if !f.Limit {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) > 0 && c.made != nil {
		c.made(paths)
	}
	if len(found) > 0 && c.found != nil {
		c.found(texts)
	}
	return texts
}

// Expose records that confined code can write protected paths, because there is no mount namespace.
func (c Confinement) Expose() {
	if c.enabled {
		c.watch().Expose()
	}
	if c.exposed != nil {
		c.exposed()
	}
}

// Watched returns a tool whose calls are watched. If inform is set, the result of a call says what was found.
func (c Confinement) Watched(t tool.Tool, inform bool) tool.Tool {
	if _, ok := tool.As[confined](t); !c.enabled || t.Definition().Source == tool.SourceBuiltin && !ok {
		return t // aura's own tools that use no files
	}
	return watched{Tool: t, in: c, inform: inform}
}

// watched looks at what a call leaves.
type watched struct {
	tool.Tool
	in     Confinement
	inform bool
}

// Unwrap returns the tool itself.
func (t watched) Unwrap() tool.Tool { return t.Tool }

// Execute runs the tool and looks at what it left.
func (t watched) Execute(ctx context.Context, call tool.Call) (string, error) {
	if call.Sandbox.Outside || !t.writes(ctx, call) {
		return t.Tool.Execute(ctx, call)
	}
	end := t.in.Watching(t.Definition().Name)
	output, err := t.in.observe(ctx, t.Tool, call)
	if p, ok := tool.As[PluginTool](t.Tool); ok {
		if report := p.Plugin.Sandbox(); report != nil && !report.Mounts {
			t.in.Expose()
		}
	}
	if found := end(); t.inform && len(found) > 0 {
		output = strings.TrimLeft(strings.TrimRight(output, "\n")+"\n[sandbox] "+strings.Join(found, "\n[sandbox] "), "\n")
	}
	return output, err
}

// observe runs a tool. To the result of a tool of a plugin or a server it adds what the sandbox refused; a built-in tool does that itself.
func (c Confinement) observe(ctx context.Context, t tool.Tool, call tool.Call) (string, error) {
	d := t.Definition()
	if d.Source == tool.SourceBuiltin {
		return t.Execute(ctx, call)
	}
	who := pluginWho(d.Origin)
	if d.Source == tool.SourceMCP {
		who = serverWho(d.Origin)
	}
	use := c.programs.of(who).Begin()
	output, err := t.Execute(ctx, call)
	note := sandbox.ExplainNetwork(use.End())
	output, err = c.explained(output, err)
	switch {
	case note == "":
	case err != nil:
		err = fmt.Errorf("%w\n%s", err, note)
	default:
		output = strings.TrimLeft(strings.TrimRight(output, "\n")+"\n"+note, "\n")
	}
	return output, err
}

// explained adds a note to what a tool of a plugin or a server returned, if the sandbox refused something to a program that it started. Most such
// programs are Git, and the rules for Git are those of Bash.
func (c Confinement) explained(output string, err error) (string, error) {
	explain := func(text string) string {
		if !sandbox.Refused(text) {
			return "" // opening a policy takes longer
		}
		note, _ := sandbox.Explain(c.grants.Open(c.Policy(sandbox.KindShell)), c.place.Workdir, text)
		return note
	}
	if err != nil {
		if note := explain(err.Error()); note != "" {
			return output, fmt.Errorf("%w\n%s", err, note)
		}
	}
	if note := explain(output); note != "" {
		output = strings.TrimRight(output, "\n") + "\n" + note
	}
	return output, err
}

// writes reports whether a call can write files. A tool for files names those that it writes.
func (t watched) writes(ctx context.Context, call tool.Call) bool {
	made, ok := tool.As[confined](t.Tool)
	if !ok || made.policy.Exec {
		return true
	}
	pather, ok := tool.As[tool.Pather](t.Tool)
	if !ok {
		return true
	}
	paths, err := pather.Paths(ctx, call.Args)
	return err != nil || len(paths.Write)+len(paths.Clear) > 0
}
