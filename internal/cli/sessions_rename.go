package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/setup"
)

func newSessionsRename(s streams, root *rootOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "rename SESSION NAME",
		Short: "Name a session",
		Long: `Name a session, as '/name' does within one. A session that is open cannot be
renamed from outside.`,
		Example: `  aura sessions rename 01a1 "release notes"
  aura run --resume "release notes" "And the changelog?"`,
		Args: exactArgs("SESSION", "NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, found, err := root.meantSession(s, args[0])
			if err != nil {
				return err
			}
			name := session.Name(args[1])
			if err := session.CheckName(name); err != nil {
				return usageError{err}
			}
			if err := session.Rename(found.Path, name, setup.Secrets(cfg, nil).JSON); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "session %s is named %s\n", clean(found.ID), clean(name))
			return nil
		},
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
}
