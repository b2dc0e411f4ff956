package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/mcpimport"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/schema"
)

// importOptions holds the flags of mcp import.
type importOptions struct {
	global      bool
	force       bool
	dryRun      bool
	keepSecrets bool
	json        bool
}

const mcpImportHelp = `Import the MCP servers of another program from its JSON file: "mcpServers" as Claude
Desktop, Claude Code (.mcp.json), Cursor and Gemini CLI have it, or "servers" as VS
Code has it. '-' reads standard input. Each server becomes a file in config/mcp/ of
the project, or with --global of the user's home.

aura does not replace a server of the same name without --force. A server that is
disabled, asks for an input, or uses a transport that aura does not support is skipped.
aura prints the reason, and names the fields that it leaves out.

A secret in env, headers or args is not written: aura writes ${NAME} and prints which
variable to set. With --keep-secrets the secret is written as it is.`

const mcpImportExamples = `  aura mcp import .mcp.json
  aura mcp import --dry-run ~/.cursor/mcp.json
  aura mcp import --global --keep-secrets claude_desktop_config.json
  aura mcp import - < .vscode/mcp.json`

func newMCPImport(s streams, root *rootOptions) *cobra.Command {
	o := &importOptions{}
	cmd := &cobra.Command{
		Use:     "import FILE",
		Short:   "Import MCP servers from the JSON file of another program",
		Long:    mcpImportHelp,
		Example: mcpImportExamples,
		Args:    exactArgs("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.global || o.dryRun {
				return o.run(s, root, args[0])
			}
			return root.renewing(s, func() error { return o.run(s, root, args[0]) })
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.global, "global", false, "write into the user's home instead of the project's")
	f.BoolVar(&o.force, "force", false, "replace servers of the same name")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be done and write nothing")
	f.BoolVar(&o.keepSecrets, "keep-secrets", false, "write secrets as they are instead of ${NAME}")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

// importReport is the result of mcp import as JSON.
type importReport struct {
	Dir     string           `json:"dir"`
	DryRun  bool             `json:"dry_run"`
	Servers []importedServer `json:"servers"`
	// Unset lists environment variables to set before aura starts.
	Unset []string `json:"unset,omitempty"`
}

// importedServer is the result for one server.
type importedServer struct {
	Name string `json:"name"`
	// Status is written, replaced, kept or skipped.
	Status string   `json:"status"`
	File   string   `json:"file,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Notes  []string `json:"notes,omitempty"`

	text []byte
}

func (o *importOptions) run(s streams, root *rootOptions, from string) error {
	data, err := readList(s.in, from, root.workdir)
	if err != nil {
		return fmt.Errorf("importing MCP servers: %w", err)
	}
	list, err := mcpimport.Parse(data, mcpimport.Options{KeepSecrets: o.keepSecrets})
	if err != nil {
		return fmt.Errorf("importing MCP servers from %s: %w", from, err)
	}
	// The homes are only inspected: no variable need be set, and a project need not be trusted.
	options := root.configOptions(s)
	options.Text = true
	listing, err := root.gateFor(s).List(options)
	if err != nil {
		return err
	}
	configured := listing.Text
	home := configured.Project
	if o.global {
		home = configured.User
	}
	if home == "" {
		return usageError{errors.New("mcp import: there is no user's home to write into: name one with --home")}
	}
	if err := refuseLinks(listing, home, config.MCPDir(home)); err != nil {
		return fmt.Errorf("importing MCP servers: %w", err)
	}
	report := importReport{Dir: home, DryRun: o.dryRun, Servers: []importedServer{}}
	for _, server := range list {
		done := o.plan(server, home, configured)
		if done.text != nil {
			for _, name := range server.Variables {
				if _, set := config.Lookup(configured.Environ, name); !set && !slices.Contains(report.Unset, name) {
					report.Unset = append(report.Unset, name)
				}
			}
		}
		report.Servers = append(report.Servers, done)
	}
	if err := o.write(report.Servers); err != nil {
		return err
	}
	if o.json {
		err = writeJSON(s.out, report)
	} else {
		o.tell(s.out, report)
	}
	if err == nil && !slices.ContainsFunc(report.Servers, func(i importedServer) bool { return i.text != nil }) {
		err = errors.New("importing MCP servers: none was imported")
	}
	return err
}

// readList reads the file, or standard input.
func readList(in io.Reader, from, workdir string) ([]byte, error) {
	if from != "-" {
		if workdir != "" && !filepath.IsAbs(from) {
			from = filepath.Join(workdir, from)
		}
		return files.Read(from, files.MaxText)
	}
	data, err := io.ReadAll(io.LimitReader(in, files.MaxText+1))
	if err == nil && len(data) > files.MaxText {
		err = fmt.Errorf("standard input has more than %d bytes", files.MaxText)
	}
	return data, err
}

// plan decides what to do with a server. It writes nothing.
func (o *importOptions) plan(server mcpimport.Server, home string, configured *config.Config) importedServer {
	out := importedServer{Name: server.Name, Status: "skipped", Reason: server.Skipped, Notes: server.Notes}
	if out.Name == "" {
		out.Name = server.Original
	}
	if server.Skipped != "" {
		return out
	}
	out.File = filepath.Join(config.MCPDir(home), server.Name+".yaml")
	status, reason := o.placeFor(out, home, configured)
	if reason != "" {
		out.Status, out.Reason, out.Notes, out.File = status, reason, nil, ""
		return out
	}
	text, err := importedText(home, server)
	if err == nil {
		err = config.CheckMCP(out.File, text)
	}
	if err != nil {
		out.Reason, out.File = err.Error(), ""
		return out
	}
	out.Status, out.text = status, text
	return out
}

// placeFor returns whether the server is new or replaces another. If it cannot be written, reason says why.
func (o *importOptions) placeFor(server importedServer, home string, configured *config.Config) (status, reason string) {
	places := slices.DeleteFunc(configured.Places("mcp server", server.Name), func(p config.Place) bool { return p.Home.Dir != home })
	_, err := os.Lstat(server.File)
	switch exists := !errors.Is(err, fs.ErrNotExist); {
	case len(places) == 0 && !exists:
		return "written", ""
	case len(places) > 0 && (places[0].File != server.File || !alone(configured, places[0].File)):
		return "kept", fmt.Sprintf("%s:%d has a server of this name: change it there", places[0].File, places[0].Line)
	case !o.force:
		return "kept", fmt.Sprintf("%s exists: --force replaces it", server.File)
	default:
		return "replaced", ""
	}
}

// alone reports whether a file declares at most one server.
func alone(configured *config.Config, file string) bool {
	count := 0
	for _, s := range configured.MCPServers {
		if s.Source.File == file {
			count++
		}
	}
	return count <= 1
}

// importedText returns the content of the file for a server.
func importedText(home string, server mcpimport.Server) ([]byte, error) {
	var out bytes.Buffer
	schemaFile := filepath.Join(schema.Dir, "mcp.schema.json")
	if _, err := os.Stat(filepath.Join(home, schemaFile)); err == nil {
		fmt.Fprintf(&out, "# yaml-language-server: $schema=../../%s\n", filepath.ToSlash(schemaFile))
	}
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(map[string]mcpimport.Entry{server.Name: server.Entry}), enc.Close()); err != nil {
		return nil, fmt.Errorf("writing it as YAML: %w", err)
	}
	return out.Bytes(), nil
}

// The modes of written files and directories. An imported file may contain a secret.
const (
	importedFileMode = 0o600
	importedDirMode  = 0o755
)

func (o *importOptions) write(servers []importedServer) error {
	for _, server := range servers {
		if server.text == nil || o.dryRun {
			continue
		}
		err := os.MkdirAll(filepath.Dir(server.File), importedDirMode)
		switch {
		case err != nil:
		case server.Status == "replaced":
			err = files.Save(server.File, server.text, importedFileMode)
		default:
			err = files.Create(server.File, server.text, importedFileMode)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", server.File, err)
		}
	}
	return nil
}

// tell prints the result for people.
func (o *importOptions) tell(w io.Writer, report importReport) {
	rows := [][]string{}
	for _, server := range report.Servers {
		status, what := server.Status, server.Reason
		if server.text != nil {
			what = server.File
			if rel, err := filepath.Rel(report.Dir, server.File); err == nil {
				what = filepath.ToSlash(rel)
			}
			if o.dryRun {
				status = "would be " + status
			}
		}
		rows = append(rows, []string{status, server.Name, oneLine(what, resultLimit)})
		for _, note := range server.Notes {
			rows = append(rows, []string{"", "", oneLine(note, resultLimit)})
		}
	}
	fmt.Fprintln(w, clean(report.Dir)+":")
	indented(w, "  ", rows)
	if len(report.Unset) > 0 {
		fmt.Fprintf(w, "aura does not start before these variables are set, in the environment or in secrets.env: %s\n", clean(strings.Join(report.Unset, ", ")))
	}
	if o.dryRun {
		fmt.Fprintln(w, "nothing was written (--dry-run)")
	}
}
