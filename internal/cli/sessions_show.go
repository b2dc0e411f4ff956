package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

func newSessionsShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show SESSION",
		Short:   "Show a session, found by its id, name or title",
		Example: "  aura sessions show 01a1\n  aura sessions show \"release notes\"",
		Args:    exactArgs("SESSION"),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, found, err := root.meantSession(s, args[0])
			if err != nil {
				return err
			}
			saved, err := session.Load(found.Path)
			if err != nil {
				return err
			}
			if path := recording.Beside(found.Path); recording.Exists(path) {
				saved.Recording = path
			}
			secrets := setup.Secrets(cfg, nil)
			format := session.FormatMarkdown
			if asJSON {
				format = session.FormatJSON
			}
			text, err := app.Export(saved, format, secrets)
			if err != nil {
				return err
			}
			if !asJSON {
				text = clean(text)
			}
			_, err = io.WriteString(s.out, text)
			return err
		},
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func newSessionsExport(s streams, root *rootOptions) *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Write a session as Markdown or JSON",
		Example: `  aura sessions export 01a1 --output talk.md
  aura sessions export 01a1 --format json`,
		Args: exactArgs("SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("format") && strings.EqualFold(filepath.Ext(output), ".json") {
				format = string(session.FormatJSON)
			}
			if err := session.Format(format).Check(); err != nil {
				return usageError{fmt.Errorf("--format: %w", err)}
			}
			saved, secrets, err := root.findSession(s, args[0])
			if err != nil {
				return err
			}
			text, err := app.Export(saved, session.Format(format), secrets)
			if err != nil {
				return err
			}
			return export(s.out, text, output)
		},
		ValidArgsFunction: first(sessionIDs(s, root)),
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "markdown or json; json also if --output ends in .json")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]cobra.Completion{"markdown", "json"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write; standard output if none is named")
	return cmd
}

func export(stdout io.Writer, text, output string) error {
	if output == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	if err := files.SaveBelow(".", output, []byte(text), 0o600); err != nil {
		return fmt.Errorf("exporting session: %w", err)
	}
	return nil
}

// findSession loads a session, and returns the redactor of the secrets that must not be shown.
func (o *rootOptions) findSession(s streams, word string) (session.Session, *redact.Redactor, error) {
	cfg, found, err := o.meantSession(s, word)
	if err != nil {
		return session.Session{}, nil, err
	}
	saved, err := session.Load(found.Path)
	return saved, setup.Secrets(cfg, nil), err
}

// meantSession returns the session that a word refers to.
func (o *rootOptions) meantSession(s streams, word string) (*config.Config, session.Summary, error) {
	cfg, err := o.list(s)
	if err != nil {
		return nil, session.Summary{}, err
	}
	found, err := inspect.FindSession(cfg.Config, word)
	// The error may list titles, so redact it.
	return cfg.Config, found, setup.Secrets(cfg.Config, nil).Error(err)
}
