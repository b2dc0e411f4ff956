package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/supply/install"
)

// signOptions holds the flags of plugins sign.
type signOptions struct {
	dir, key, message string
	json              bool
}

func newPluginsSign(s streams, root *rootOptions) *cobra.Command {
	o := &signOptions{}
	cmd := &cobra.Command{
		Use:   "sign TAG",
		Short: "Sign a version of a plugin with your SSH key",
		Long: `Make an annotated tag of the current commit in the repository of a plugin, signed with
your SSH key. It is the tag that 'git tag -s' makes with gpg.format=ssh. Neither git
nor ssh-keygen is needed.

The key is that of --key: a file with a private or a public key, or a fingerprint.
Otherwise it is user.signingKey of your own git settings, or the first key of the agent
and of ~/.ssh. A key with a passphrase must be in the agent. The settings of the
repository do not choose it.

Changes that are not committed are not part of the version. A tag that exists is not
replaced: a signed tag must not move. aura prints what to publish, and the line by which
users allow your key.`,
		Example: `  aura plugins sign v1.2.0
  aura plugins sign v1.2.0 --dir ~/src/guard --key ~/.ssh/id_ed25519.pub
  aura plugins sign v1.2.0 --message 'Keeps longer notes' --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s takes the name of a tag, such as v1.2.0", cmd.CommandPath())}
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0]) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", "", "a directory in the repository; without it, the working directory")
	f.StringVar(&o.key, "key", "", "a file with a private or a public key, or a fingerprint (SHA256:...)")
	f.StringVarP(&o.message, "message", "m", "", "the message of the tag; without it, its name")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

func (o *signOptions) run(ctx context.Context, s streams, root *rootOptions, tag string) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	dir := o.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.Workdir, dir)
	}
	request := install.SignRequest{Dir: dir, Tag: tag, Key: o.key, Message: o.message}
	done, err := install.Sign(ctx, request, install.Options{Workdir: l.Workdir, Environ: l.Environ, UserHome: root.configOptions(s).UserHome})
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(s.out, done)
	}
	fmt.Fprintf(s.out, "signed %s: commit %s %q\n  by %s, with %s\nPublish it with:\n  git push origin %s\nWhoever trusts the key adds this line to config/allowed_signers of the home:\n  NAME %s\n",
		clean(done.Tag), short(done.Commit), clean(done.Subject), clean(done.Tagger), done.Key, clean(done.Tag), done.Public)
	return nil
}
