package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
)

// addOptions holds the flags of plugins add.
type addOptions struct {
	installOptions

	ref      string
	name     string
	plugin   string
	global   bool
	subpaths []string
}

const addHelp = `Install plugins or Python extensions from a git repository, from a directory, or
from a Python file.

A repository is named by an https, ssh or file URL, or as git@HOST:PATH. A
directory or a file is copied, and cannot be updated. A source with several
plugins is a pack: it is installed, updated and removed as one.

A plugin of Claude Code becomes a portable plugin; aura lists what it leaves out. If
the source is a marketplace (.claude-plugin/marketplace.json), --plugin chooses a
plugin, which may be in another repository.

A Python extension is a file, a package with an __init__.py, or a project whose
pyproject.toml declares entry points of the group aar_extensions. aura puts it into
extensions/ of the home, and warns if it has no function register.

The name of a plugin is the last part of its source, without the prefixes
'aura-plugin-' and 'aar-ext-' and the suffix '.git'. --name sets another. Extensions
that a pyproject.toml declares have the declared names.

aura vendors the plugin's imports with 'go mod tidy' and 'go mod vendor'. The SDK
is part of aura and is not fetched. aura records all files in plugins.lock. It does
not load a plugin whose files change later, until you update or trust it.

aura lists what a plugin requests beyond the defaults: files outside of the sandbox,
variables, the network, unsafe mode, more memory. In a terminal it asks whether to
grant the requests; without a terminal the command itself grants them.

For https, aura tries no authentication first, then GITLAB_TOKEN (for gitlab.com
and the host in GITLAB_HOST), GITHUB_TOKEN (for github.com and the host in
GITHUB_SERVER_URL) and GIT_TOKEN, then 'git credential fill'. For ssh, it tries the
keys of the ssh agent, then ~/.ssh/id_ed25519, id_rsa and id_ecdsa.`

func newPluginsAdd(s streams, root *rootOptions) *cobra.Command {
	o := &addOptions{}
	cmd := &cobra.Command{
		Use:   "add SOURCE...",
		Short: "Install plugins or Python extensions from git, a directory or a file",
		Long:  addHelp,
		Example: `  aura plugins add https://github.com/user/aura-plugin-metrics
  aura plugins add git@github.com:user/aura-plugin-metrics.git --ref v0.2.0
  aura plugins add https://github.com/user/collection --subpath tools/metrics
  aura plugins add https://github.com/user/marketplace --plugin metrics
  aura plugins add ./my-plugin --name mine --global
  aura plugins add ./guard.py`,
		Args: needsSome("SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			add := func() error { return o.run(cmd, s, root, args) }
			if o.global {
				return add()
			}
			return root.renewing(s, add)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.ref, "ref", "", "branch, tag or commit (default: the default branch)")
	f.StringVar(&o.name, "name", "", "name of the plugin or pack")
	f.StringVar(&o.plugin, "plugin", "", "plugin of the marketplace that the source is")
	f.BoolVar(&o.global, "global", false, "install into the user's home instead of the project's")
	f.StringArrayVar(&o.subpaths, "subpath", nil, "install plugins from this directory of the source only (repeatable)")
	o.register(f)
	return cmd
}

func (o *addOptions) run(cmd *cobra.Command, s streams, root *rootOptions, sources []string) error {
	if o.name != "" && len(sources) > 1 {
		return usageError{fmt.Errorf("--name %s: there are %d sources, and each needs a name of its own", o.name, len(sources))}
	}
	l, err := root.list(s)
	if err != nil {
		return err
	}
	c := l.Config
	place, err := placeFor(l, o.global)
	if err != nil {
		return err
	}
	list := []install.Added{}
	for _, source := range sources {
		var added install.Added
		if added, err = o.add(cmd, s, root, c, place, source); err != nil {
			break
		}
		list = append(list, added)
		if !o.json {
			writeAdded(s.out, added)
		}
	}
	if o.json {
		if err := writeJSON(s.out, list); err != nil {
			return err
		}
	}
	return err
}

func (o *addOptions) add(cmd *cobra.Command, s streams, root *rootOptions, c *config.Config, place install.Place, source string) (install.Added, error) {
	options, done := o.options(c, s, root)
	defer done()
	options.Global = o.global
	options.Grant = o.granting(cmd.Context(), s, false)
	request := install.Request{Source: source, Ref: o.ref, Name: o.name, Plugin: o.plugin, Subpaths: slices.Clone(o.subpaths)}
	return install.Add(cmd.Context(), place, request, options)
}

// writeAdded reports what was installed.
func writeAdded(w io.Writer, a install.Added) {
	from := a.URL
	if a.Commit != "" {
		from += " at " + short(a.Commit)
	}
	if a.Ref != "" {
		from += " (" + a.Ref + ")"
	}
	fmt.Fprintf(w, "installed %s from %s\n", clean(a.Name), clean(from))
	fmt.Fprintf(w, "  into %s\n", clean(a.Dir))
	if a.Signed != nil {
		fmt.Fprintf(w, "  signed by %s\n", clean(a.Signed.String()))
	}
	writeFacts(w, "  ", a.Plugins)
	writeGranted(w, a.Plugins)
	writeWarnings(w, a.Warnings)
}
