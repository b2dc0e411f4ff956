package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/trust"
)

// trustOptions holds the flags of aura trust.
type trustOptions struct {
	pinned bool
	show   bool
	list   bool
	forget bool
	json   bool
}

const trustDirHelp = `Consent to what a directory's files ask for: plugins, extensions, shell hooks, MCP
servers, conditions with bash:, tasks, providers, variables, env files, and settings
that widen the sandbox, the policy or unsafe mode. Nothing of it takes effect
without your consent.

Consent covers the directory, even if its files change. With --pinned it covers only
the current files; if one changes, aura asks again and names it. Files that appear in
the directory later, such as a new secrets.env, are not covered. With
'trust: pinned' in config/features/trust.yaml of the user home, consent is always
pinned.

aura stores consents in trust.json of its state directory, not in the project. DIR
is the working directory by default.`

const trustDirExamples = `  aura trust --show
  aura trust
  aura trust --pinned ../somebody-elses
  aura trust --list
  aura trust --forget`

func newTrust(s streams, root *rootOptions) *cobra.Command {
	o := &trustOptions{}
	cmd := &cobra.Command{
		Use:     "trust [DIR]",
		Short:   "Consent to what a directory's files ask for",
		Long:    trustDirHelp,
		Example: trustDirExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes [DIR]", cmd.CommandPath())}
			}
			return o.check()
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c := root.configOptions(s)
			if len(args) > 0 {
				c.Workdir = filepath.Join(c.Workdir, args[0])
				if filepath.IsAbs(args[0]) {
					c.Workdir = args[0]
				}
			}
			return o.run(s, root, c)
		},
		ValidArgsFunction: directories,
	}
	f := cmd.Flags()
	f.BoolVar(&o.pinned, "pinned", false, "consent to the files as they are now")
	f.BoolVar(&o.show, "show", false, "list what needs consent, without giving it")
	f.BoolVar(&o.list, "list", false, "list all consents")
	f.BoolVar(&o.forget, "forget", false, "take the consent for the directory back")
	f.BoolVar(&o.json, "json", false, "with --show or --list: write a JSON list")
	return cmd
}

func (o *trustOptions) check() error {
	chosen := 0
	for _, flag := range []bool{o.pinned, o.show, o.list, o.forget} {
		if flag {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return usageError{errors.New("--pinned, --show, --list and --forget exclude each other: choose one")}
	case o.json && !o.show && !o.list:
		return usageError{errors.New("--json goes with --show or --list")}
	default:
		return nil
	}
}

func (o *trustOptions) run(s streams, root *rootOptions, c config.Options) error {
	gate := root.gateFor(s)
	switch {
	case o.list:
		all, err := gate.Consents(c)
		if err != nil {
			return err
		}
		return o.showConsents(s.out, all)
	case o.forget:
		dir, had, err := gate.Forget(c)
		if err != nil {
			return err
		}
		if !had {
			fmt.Fprintf(s.out, "%s was not trusted\n", clean(dir))
			return nil
		}
		fmt.Fprintf(s.out, "%s is no longer trusted\n", clean(dir))
		return nil
	case o.show:
		p, err := gate.Requests(c)
		if err != nil {
			return err
		}
		return o.showRequests(s.out, p)
	}
	return o.agree(s, gate, c)
}

// agree shows what the user consents to, and records the consent.
func (o *trustOptions) agree(s streams, gate *gate.Gate, c config.Options) error {
	p, err := gate.Requests(c)
	if err != nil {
		return err
	}
	if err := o.showRequests(s.out, p); err != nil || len(p.Requests) == 0 && !p.Hides {
		return err
	}
	pinned, err := gate.Agree(c, p, o.pinned)
	if err != nil {
		return err
	}
	what := "is now trusted, including later changes of its files"
	if pinned {
		what = "is trusted with these files as they are; a change asks again"
	}
	fmt.Fprintf(s.out, "%s %s\n", clean(p.Dir), what)
	return nil
}

func (o *trustOptions) showRequests(w io.Writer, p gate.Project) error {
	if o.json {
		list := append([]trust.Request{}, p.Requests...)
		for _, text := range p.Ruled {
			list = append(list, trust.Request{Kind: trust.KindMachine, Text: text})
		}
		return writeJSON(w, list)
	}
	if len(p.Requests) == 0 {
		fmt.Fprintf(w, "%s holds nothing that asks for consent\n", clean(p.Dir))
		writeRuled(w, p.Ruled)
		return nil
	}
	fmt.Fprintf(w, "%s asks for:\n", clean(p.Dir))
	for _, r := range p.Requests {
		fmt.Fprintf(w, "  %s %s (%s): %s\n", r.Kind, oneLine(r.Name, maxShown), oneLine(whereIs(p.Base, r), maxShown), oneLine(r.Shown(), maxShown))
	}
	writeRuled(w, p.Ruled)
	if p.Fault != nil {
		fmt.Fprintf(w, "it cannot be read: %s\n", clean(p.Fault.Error()))
	}
	fmt.Fprintf(w, "consent: %s\n", clean(p.Consent))
	return nil
}

func writeRuled(w io.Writer, ruled []string) {
	if len(ruled) > 0 {
		fmt.Fprintln(w, "the policy of this machine applies, also with your consent:")
	}
	for _, text := range ruled {
		fmt.Fprintf(w, "  %s\n", oneLine(text, maxShown))
	}
}

// maxShown is how many characters of a name, a path or a text are shown. The JSON output contains all of them.
const maxShown = 4000

// whereIs returns the location of a request, relative to the project.
func whereIs(base string, r trust.Request) string {
	file := r.File
	if rel, err := filepath.Rel(base, file); err == nil && filepath.IsLocal(rel) {
		file = filepath.ToSlash(rel)
	}
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d", file, r.Line)
	}
	return file
}

// consentInfo is a consent as JSON.
type consentInfo struct {
	Dir     string    `json:"dir"`
	Pinned  bool      `json:"pinned"`
	Sources []string  `json:"sources"`
	Files   int       `json:"files"`
	Given   time.Time `json:"given"`
}

func (o *trustOptions) showConsents(w io.Writer, all map[string]trust.Consent) error {
	list := []consentInfo{}
	rows := [][]string{{"DIRECTORY", "CONSENT", "GIVEN"}}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		c := all[dir]
		list = append(list, consentInfo{Dir: dir, Pinned: c.Pinned(), Sources: append([]string{}, c.Sources...), Files: len(c.Files), Given: c.Given})
		what := "the directory: " + strings.Join(c.Sources, ", ")
		if c.Pinned() {
			what = plaintext.Counted(len(c.Files), "file") + " as they were"
		}
		rows = append(rows, []string{dir, what, c.Given.Local().Format("2006-01-02 15:04")})
	}
	switch {
	case o.json:
		return writeJSON(w, list)
	case len(list) == 0:
		fmt.Fprintln(w, "no directory is trusted")
	default:
		table(w, rows)
	}
	return nil
}
