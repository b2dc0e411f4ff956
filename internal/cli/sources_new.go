package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/supply/sources"
)

// sourceNewOptions holds the flags of sources new.
type sourceNewOptions struct {
	out, key string
	serial   int64
	json     bool
}

const sourcesNewHelp = `Make the next version of an index from a list of repositories, and sign it with your SSH
key. The list is a YAML file:

  name: acme
  valid_days: 90
  plugins:
    - url: https://github.com/acme/aura-plugin-guard
      ref: v1.2.0
      keywords: [security]

aura fetches each repository, checks its plugins as 'aura plugins add' does, and writes
commit, hash, description and requests into index.json beside the list, and the signature
into index.json.sig. The serial is one more than that of the index.json that is there.
Publish both files together: commit them to a git repository, or put them on a server.

The key is that of --key: a file with a private or a public key, or a fingerprint.
Otherwise it is user.signingKey of your own git settings, or the first key of the agent
and of ~/.ssh. The signature is that of 'ssh-keygen -Y sign -n aura-index'.`

func newSourcesNew(s streams, root *rootOptions) *cobra.Command {
	o := &sourceNewOptions{}
	cmd := &cobra.Command{
		Use:   "new LIST",
		Short: "Make an index from a list of repositories, and sign it",
		Long:  sourcesNewHelp,
		Example: `  aura sources new plugins.yaml
  aura sources new plugins.yaml --out public/index.json --key ~/.ssh/index.pub
  aura sources new plugins.yaml --json`,
		Args: exactArgs("LIST"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "file of the index; without it, index.json beside the list")
	f.StringVar(&o.key, "key", "", "a file with a private or a public key, or a fingerprint (SHA256:...)")
	f.Int64Var(&o.serial, "serial", 0, "serial of the index, if the version before is lost or was signed with another key")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

func (o *sourceNewOptions) run(ctx context.Context, s streams, root *rootOptions, plan string) error {
	if o.serial < 0 {
		return usageError{fmt.Errorf("--serial %d is negative", o.serial)}
	}
	l, err := root.list(s)
	if err != nil {
		return err
	}
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(l.Workdir, path)
	}
	options, done := root.sourceOptions(l.Config, s)
	defer done()
	request := sources.NewRequest{Plan: absolute(plan), Key: o.key, Serial: o.serial}
	request.Out = sources.PlanFile(request.Plan)
	if o.out != "" {
		request.Out = absolute(o.out)
	}
	made, err := sources.New(ctx, request, options)
	done()
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(s.out, made)
	}
	fmt.Fprintf(s.out, "made %s: %s, serial %d, expires on %s\n  signed with %s\n", clean(made.File), plaintext.Counted(len(made.Plugins), "plugin"), made.Serial, day(made.Expires), made.Key)
	for _, e := range made.Plugins {
		fmt.Fprintf(s.out, "  %s %s\n", clean(e.Name), short(e.Commit))
	}
	fmt.Fprintf(s.out, "Publish %s and %s together, and the fingerprint of the key elsewhere.\n", filepath.Base(clean(made.File)), filepath.Base(clean(made.Signature)))
	return nil
}
