package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/supply/sources"
)

// sourceAddOptions holds the flags of sources add.
type sourceAddOptions struct {
	name, key string
	yes, json bool
}

const sourcesAddHelp = `Add an index of plugins: a git repository with an index.json and an index.json.sig, or
an https address that ends in .json and has the signature beside it, with .sig behind
its name.

aura shows the fingerprint of the key that signed the index, and asks. Compare it with
what whoever maintains the index has published elsewhere. From then on, only this key
counts for the source. Without a terminal, --key names the fingerprint that you expect,
or --yes accepts any.

A repository with a .claude-plugin/marketplace.json is added as a marketplace of Claude
Code, which nobody signs.`

func newSourcesAdd(s streams, root *rootOptions) *cobra.Command {
	o := &sourceAddOptions{}
	cmd := &cobra.Command{
		Use:   "add URL",
		Short: "Add a signed index of plugins, and keep its key",
		Long:  sourcesAddHelp,
		Example: `  aura sources add https://github.com/acme/aura-index
  aura sources add https://plugins.example.com/index.json --key SHA256:...
  aura sources add git@github.com:acme/aura-index.git --name acme --json`,
		Args: exactArgs("URL"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, root, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "name of the source; without it, the name that the index has for itself")
	f.StringVar(&o.key, "key", "", "fingerprint of the key (SHA256:...), which has to be the one that signed the index")
	f.BoolVar(&o.yes, "yes", false, "accept the key, or a marketplace without a signature, without a question")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

func (o *sourceAddOptions) run(ctx context.Context, s streams, root *rootOptions, address string) error {
	l, err := root.list(s)
	if err != nil {
		return err
	}
	options, done := root.sourceOptions(l.Config, s)
	src, err := sources.Add(ctx, sources.AddRequest{Address: address, Name: o.name, Key: o.key, Accept: func(offer sources.Offer) error {
		done()
		return o.accept(ctx, s, offer)
	}}, options)
	done()
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(s.out, src)
	}
	fmt.Fprintf(s.out, "added %s: %s from %s\n", src.Name, plaintext.Counted(src.Plugins, "plugin"), clean(src.URL))
	if !src.Signed() {
		fmt.Fprintln(s.out, "  not signed: whoever can change the repository decides what is installed")
		return nil
	}
	fmt.Fprintf(s.out, "  signed with %s; serial %d, expires on %s\n", src.Key, src.Serial, day(src.Expires))
	return nil
}

// accept asks the user about the key of an index, or about a marketplace without one.
func (o *sourceAddOptions) accept(ctx context.Context, s streams, offer sources.Offer) error {
	if o.yes {
		return nil
	}
	about := []string{fmt.Sprintf("%s lists %s, signed with the key %s", clean(offer.URL), plaintext.Counted(offer.Plugins, "plugin"), offer.Key)}
	question, other := "Does this key belong to who maintains the index?", errors.New("the key was not accepted, so nothing was added")
	unattended := fmt.Errorf("%s is signed with the key %s: repeat the command in a terminal, or with --key %s if that is the key of who maintains it", offer.URL, offer.Key, offer.Key)
	if !offer.Signed() {
		about = []string{fmt.Sprintf("%s is a marketplace of %s. Nobody signs it: whoever can change the repository decides what is installed", clean(offer.URL), plaintext.Counted(offer.Plugins, "plugin"))}
		question, other = "Add it?", errors.New("not confirmed, so nothing was added")
		unattended = fmt.Errorf("%s is a marketplace, which nobody signs: repeat the command in a terminal, or with --yes to add it all the same", offer.URL)
	}
	k, attended := keyboardOf(s)
	if !attended {
		return unattended
	}
	yes, err := k.confirms(ctx, s, about, question)
	if err == nil && !yes {
		err = other
	}
	return err
}
