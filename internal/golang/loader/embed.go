package loader

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/golang/lower"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// embedDirective begins a comment that names files for the variable below it.
const embedDirective = "//go:embed"

// maxEmbedded is how many files one package embeds at most.
const maxEmbedded = 10000

// readEmbedded reads the files that the directives of a file name. The errors are those of the go command, in aura's words.
func (s *Source) readEmbedded(p *Package, f *File) error {
	if !bytes.Contains(f.Text, []byte(embedDirective)) {
		return nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, f.Path, f.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range tree.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, embedDirective)
			if !ok || rest == strings.TrimLeft(rest, " \t") && rest != "" {
				continue
			}
			if message := s.embed(p, tree, c, rest); message != "" {
				at := set.PositionFor(c.Pos(), false)
				return s.report(&Error{File: f.Path, Line: at.Line, Column: at.Column, Rule: RuleEmbed, Message: embedDirective + ": " + message})
			}
		}
	}
	return nil
}

// embed reads the files of one directive. It returns what is wrong, or "".
func (s *Source) embed(p *Package, tree *ast.File, c *ast.Comment, patterns string) string {
	if !slices.ContainsFunc(tree.Imports, func(spec *ast.ImportSpec) bool { return ImportPath(spec) == "embed" }) {
		return `only a file that imports "embed" can have this directive`
	}
	v := below(tree, c)
	switch {
	case v == nil:
		return "it must stand directly above a variable of the package"
	case len(v.Names) != 1:
		return "it cannot be used for several variables"
	case len(v.Values) > 0:
		return "the variable " + v.Names[0].Name + " must not have a value of its own"
	}
	list, err := embedPatterns(patterns)
	if err != nil {
		return err.Error()
	}
	if p.Embedded == nil {
		p.Embedded = map[string][]lower.Embedded{}
	}
	name := v.Names[0].Name
	for _, pattern := range list {
		found, err := s.matching(p, pattern)
		if err != nil {
			return fmt.Sprintf("pattern %s: %v", pattern, err)
		}
		p.Embedded[name] = append(p.Embedded[name], found...)
	}
	slices.SortFunc(p.Embedded[name], func(a, b lower.Embedded) int { return cmp.Compare(a.Name, b.Name) })
	p.Embedded[name] = slices.CompactFunc(p.Embedded[name], func(a, b lower.Embedded) bool { return a.Name == b.Name })
	return ""
}

// below returns the declaration of package variables that a comment stands above, or nil.
func below(tree *ast.File, c *ast.Comment) *ast.ValueSpec {
	end := tree.Name.End()
	for _, decl := range tree.Decls {
		d, ok := decl.(*ast.GenDecl)
		ok = ok && d.Tok == token.VAR
		switch {
		case c.Pos() < end, !ok && c.Pos() < decl.Pos():
			return nil
		case ok && !d.Lparen.IsValid() && c.Pos() < d.Pos():
			v, _ := d.Specs[0].(*ast.ValueSpec)
			return v
		case ok && d.Lparen.IsValid() && c.Pos() > d.Lparen && c.Pos() < d.Rparen:
			return belowIn(d, c)
		}
		end = decl.End()
	}
	return nil
}

// belowIn returns the same for a comment between the parentheses of a declaration.
func belowIn(d *ast.GenDecl, c *ast.Comment) *ast.ValueSpec {
	end := d.Lparen
	for _, spec := range d.Specs {
		if c.Pos() > end && c.Pos() < spec.Pos() {
			v, _ := spec.(*ast.ValueSpec)
			return v
		}
		end = spec.End()
	}
	return nil
}

// embedPatterns returns the patterns of a directive: words, or Go strings.
func embedPatterns(text string) ([]string, error) {
	var out []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		word, rest := text, ""
		if quoted, err := strconv.QuotedPrefix(text); err == nil && text[0] != '\'' {
			word, _ = strconv.Unquote(quoted) // QuotedPrefix has checked it
			rest = text[len(quoted):]
			if rest != "" && rest == strings.TrimLeft(rest, " \t") {
				return nil, fmt.Errorf("%q follows a string without a space", rest)
			}
		} else if text[0] == '"' || text[0] == '`' {
			return nil, fmt.Errorf("the string %s does not end", text)
		} else if i := strings.IndexAny(text, " \t"); i >= 0 {
			word, rest = text[:i], text[i:]
		}
		out, text = append(out, word), rest
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it names no file")
	}
	return out, nil
}

// embedding reads what one pattern names.
type embedding struct {
	source *Source
	// root is the directory of the package with slashes, relative to the plugin.
	root string
	// all is set if files of directories are read whose names begin with a dot or an underscore.
	all bool
	out []lower.Embedded
}

// matching returns the files that a pattern names.
func (s *Source) matching(p *Package, pattern string) ([]lower.Embedded, error) {
	glob, all := strings.CutPrefix(pattern, "all:")
	if _, err := path.Match(glob, ""); err != nil || glob != "." && !fs.ValidPath(glob) {
		return nil, fmt.Errorf("it is no pattern of paths below the package")
	}
	e := &embedding{source: s, root: cmp.Or(pluginsource.PackageDir(s.Module, p.Path), "."), all: all}
	if s.root == nil {
		root, err := files.OpenRoot(s.Dir)
		if err != nil {
			return nil, err
		}
		s.root = root
	}
	names, err := fs.Glob(s.root.FS(), path.Join(escapeGlob(e.root), glob))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := e.add(name); err != nil {
			return nil, err
		}
	}
	if len(e.out) == 0 {
		return nil, fmt.Errorf("no file matches")
	}
	return e.out, nil
}

// escapeGlob returns a pattern that matches one path.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// add reads a file that matches, or the files of a directory that matches. name is relative to the plugin.
func (e *embedding) add(name string) error {
	info, err := e.source.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return e.read(name)
	}
	return e.addDir(name)
}

// addDir reads the files of a directory. Those of other modules and of version control do not belong to the package.
func (e *embedding) addDir(dir string) error {
	entries, err := files.ReadDirBelow(e.source.root, filepath.FromSlash(dir), maxEmbedded)
	if err != nil {
		return err
	}
	if dir != e.root && slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == "go.mod" }) {
		return nil
	}
	for _, d := range entries {
		name := path.Join(dir, d.Name())
		switch {
		case !e.all && strings.ContainsAny(d.Name()[:1], "._"), module.CheckFilePath(d.Name()) != nil, isVersionControl(d.Name()):
		case d.IsDir():
			err = e.addDir(name)
		case d.Type().IsRegular():
			err = e.read(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isVersionControl(name string) bool {
	return slices.Contains([]string{".bzr", ".hg", ".git", ".svn"}, name)
}

// read reads a file. Its size counts as source.
func (e *embedding) read(name string) error {
	rel := name
	if e.root != "." {
		rel = strings.TrimPrefix(name, e.root+"/")
	}
	if err := module.CheckFilePath(rel); err != nil || slices.ContainsFunc(strings.Split(rel, "/"), isVersionControl) {
		return fmt.Errorf("%s cannot be embedded: its name is not portable", rel)
	}
	if reason, _ := pluginsource.Outside(e.source.Dir, name); reason != "" {
		return fmt.Errorf("%s is hidden or a link, and neither is part of a plugin", rel)
	}
	if len(e.out) >= maxEmbedded {
		return fmt.Errorf("more than %d files match", maxEmbedded)
	}
	text, err := files.ReadBelow(e.source.root, filepath.FromSlash(name), pluginsource.MaxFile)
	if err != nil {
		return fmt.Errorf("reading it: %w", err)
	}
	if e.source.room -= len(text); e.source.room < 0 {
		return fmt.Errorf("the plugin and its vendored packages have more than %d MiB of source, which is the limit", MaxSource>>20)
	}
	e.out = append(e.out, lower.Embedded{Name: rel, Text: string(text)})
	return nil
}
