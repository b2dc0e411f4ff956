package cli

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/sources"
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

NAME@SOURCE is a plugin of a source (see 'aura sources'): aura installs the commit that
the index names, and refuses it if its files or what it requests are not those of the
index. A source that is not signed names only where a plugin comes from.

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
  aura plugins add metrics@acme
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
	request, err := o.request(source, sourcesIn(c, options))
	if err != nil {
		return install.Added{}, err
	}
	return install.Add(cmd.Context(), place, request, options)
}

// inSource matches a plugin of a source, NAME@SOURCE. It is no path and no URL: a directory of that name is written with ./ before it.
var inSource = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^/\\:@]+)@([a-z0-9][a-z0-9._-]*)$`) })

// request returns what to install. What a signed index says leaves nothing to choose but the name.
func (o *addOptions) request(source string, in sources.Options) (install.Request, error) {
	match := inSource().FindStringSubmatch(source)
	if match == nil {
		return install.Request{Source: source, Ref: o.ref, Name: o.name, Plugin: o.plugin, Subpaths: slices.Clone(o.subpaths)}, nil
	}
	if o.ref != "" || o.plugin != "" || len(o.subpaths) > 0 {
		return install.Request{}, usageError{fmt.Errorf("%s: the source says what to install, so --ref, --plugin and --subpath do not go with it", source)}
	}
	r, err := sources.Resolve(match[2], match[1], in)
	if err != nil {
		return install.Request{}, fmt.Errorf("adding %s: %w; for a directory of that name, write ./%s", source, err, source)
	}
	if o.name != "" {
		r.Name = o.name
	}
	return r, nil
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
	if a.Index != nil {
		fmt.Fprintf(w, "  index %s\n", clean(a.Index.String()))
	}
	if a.Signed != nil {
		fmt.Fprintf(w, "  signed by %s\n", clean(a.Signed.String()))
	}
	writeFacts(w, "  ", a.Plugins)
	writeGranted(w, a.Plugins)
	writeWarnings(w, a.Warnings)
}
