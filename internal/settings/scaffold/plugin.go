package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/sdk/version"
)

//go:embed all:plugin
var plugins embed.FS

// Plugin describes a new plugin. A plugin in Go has at least one of hooks, a tool and a command.
type Plugin struct {
	Name          string
	Hooks         []hookpoint.Point
	Tool, Command bool
	// Python makes a Python extension, which has a hook, a tool and a command.
	Python bool
	// Portable makes a portable plugin, which has a skill and a command.
	Portable bool
	// Schemas is the directory with the JSON schemas of YAML files, as a slash-separated path relative to the plugin's directory. It is
	// empty if there is none.
	Schemas string
}

var (
	goName       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`) })
	portableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) })
	pythonName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`) })
)

// maxPortable is the largest length of the name of a portable plugin, and of a skill.
const maxPortable = 64

// taken lists the names that mean something else to the Go command: patterns of packages, and the standard library.
var taken = strings.Fields(`all cmd main sdk std tool work
	archive bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html
	image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync
	syscall testing text time unicode unique unsafe vendor weak`)

// Check returns an error if the name cannot be that of the plugin.
func (p Plugin) Check() error {
	if err := manifest.CheckName(p.Name); err != nil {
		return fmt.Errorf("naming the plugin: %w", err)
	}
	switch {
	case p.Portable && (!portableName().MatchString(p.Name) || len(p.Name) > maxPortable):
		return fmt.Errorf("naming the plugin: %q cannot be the name of a portable plugin and its skill: write at most %d small letters, digits and single hyphens, such as my-plugin", p.Name, maxPortable)
	case p.Portable:
	case p.Python && !pythonName().MatchString(p.Name):
		return fmt.Errorf("naming the plugin: %q cannot be the name of a Python package: write small letters, digits and underscores, such as my_plugin", p.Name)
	case !p.Python && !goName().MatchString(p.Name):
		return fmt.Errorf("naming the plugin: %q cannot be the name of a Go module: write small letters, digits and hyphens, such as my-plugin", p.Name)
	case !p.Python && (token.IsKeyword(p.Name) || slices.Contains(taken, p.Name)):
		return fmt.Errorf("naming the plugin: %q means something else to Go: choose another name, such as my-%[1]s", p.Name)
	}
	return nil
}

// Package returns the name of the plugin's Go package.
func (p Plugin) Package() string { return strings.ReplaceAll(p.Name, "-", "_") }

// ToolName returns the name of the plugin's tool: that of the plugin in the style of the built-in tools.
func (p Plugin) ToolName() string {
	var out strings.Builder
	for part := range strings.FieldsFuncSeq(p.Name, func(r rune) bool { return r == '-' || r == '_' }) {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}

// SDKVersion returns the version of the SDK that the plugin is written for.
func (Plugin) SDKVersion() string { return version.Version }

// SchemaLine returns the comment with which an editor finds the schema of a file in a directory of the plugin, or an empty text.
func (p Plugin) SchemaLine(depth int, name string) string {
	if p.Schemas == "" {
		return ""
	}
	return "# yaml-language-server: $schema=" + strings.Repeat("../", depth) + path.Join(p.Schemas, name+".schema.json") + "\n"
}

// files returns the plugin's files: slash-separated paths to contents.
func (p Plugin) files() (map[string]string, error) {
	dir := "plugin/go"
	if p.Python {
		dir = "plugin/python"
	}
	if p.Portable {
		dir = "plugin/portable"
	}
	hooks, err := describeHooks(p.Hooks)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = fs.WalkDir(plugins, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t, err := template.New(path.Base(name)).Delims("<<", ">>").ParseFS(plugins, name)
		if err != nil {
			return err
		}
		var text strings.Builder
		if err := t.Execute(&text, struct {
			Plugin
			Hooks []hook
		}{p, hooks}); err != nil {
			return err
		}
		rel := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), ".tmpl"), "NAME", p.Name)
		content := text.String()
		if strings.HasSuffix(rel, ".go") {
			source, err := format.Source([]byte(content))
			if err != nil {
				return fmt.Errorf("%s: %w", rel, err)
			}
			content = string(source)
		}
		out[rel] = content
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("making plugin %q: %w", p.Name, err)
	}
	return out, nil
}

// Create writes the plugin to the directory parent/NAME, which must not exist. It follows no links below workdir. complete, if not nil, adds to the files before the plugin
// appears there: dir is the plugin's directory, and home is a home of aura that contains only this plugin. Create returns the directory.
func (p Plugin) Create(workdir, parent string, complete func(home, dir string) error) (string, error) {
	if err := p.Check(); err != nil {
		return "", err
	}
	list, err := p.files()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(parent, p.Name)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("making plugin %q: %s exists already, and nothing is overwritten; choose another name, or another directory with --dir", p.Name, dir)
	}
	if err := files.MkdirBelow(workdir, parent, dirMode); err != nil {
		return "", fmt.Errorf("making plugin %q: %w", p.Name, err)
	}
	// A hidden directory is no plugin, so a session that starts now does not load half of one.
	home, err := os.MkdirTemp(parent, "."+p.Name+"-")
	if err != nil {
		return "", fmt.Errorf("making plugin %q: %w", p.Name, err)
	}
	err = p.write(home, dir, list, complete)
	if err := errors.Join(err, os.RemoveAll(home)); err != nil {
		return "", fmt.Errorf("making plugin %q: %w", p.Name, err)
	}
	return dir, nil
}

// write writes the plugin into a home, and moves it to dir when it is complete.
func (p Plugin) write(home, dir string, list map[string]string, complete func(home, dir string) error) error {
	kind := "plugins"
	if p.Python {
		kind = "extensions"
	}
	fresh := filepath.Join(home, kind, p.Name)
	for name, content := range list {
		if err := create(home, filepath.Join(fresh, filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	if complete != nil {
		if err := complete(home, fresh); err != nil {
			return err
		}
	}
	return os.Rename(fresh, dir)
}
