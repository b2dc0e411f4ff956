package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
)

// Selection holds the patterns of plugin names in the plugins: key of the features. A nil list is not set.
type Selection struct{ Include, Exclude []string }

// PatternError reports that a plugin is excluded by a pattern that may also match other plugins.
type PatternError struct{ Pattern string }

func (e *PatternError) Error() string {
	return fmt.Sprintf("plugins.exclude has the pattern %q, which also stands for others: edit it by hand", e.Pattern)
}

// Choose returns the selection with the plugin enabled or disabled, and reports whether the selection changed.
func (s Selection) Choose(name string, enable bool) (Selection, bool, error) {
	if !enable {
		if slices.ContainsFunc(s.Exclude, matching(name)) || len(s.Include) > 0 && !slices.ContainsFunc(s.Include, matching(name)) {
			return s, false, nil
		}
		s.Exclude = append(slices.Clone(s.Exclude), name)
		return s, true, nil
	}
	changed := false
	if slices.Contains(s.Exclude, name) {
		s.Exclude = slices.DeleteFunc(slices.Clone(s.Exclude), func(pattern string) bool { return pattern == name })
		changed = true
	}
	if i := slices.IndexFunc(s.Exclude, matching(name)); i >= 0 {
		return s, false, &PatternError{Pattern: s.Exclude[i]}
	}
	if len(s.Include) > 0 && !slices.ContainsFunc(s.Include, matching(name)) {
		s.Include = append(slices.Clone(s.Include), name)
		changed = true
	}
	return s, changed, nil
}

func matching(name string) func(pattern string) bool {
	return func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return err == nil && ok
	}
}

const (
	// featuresDir is the directory of a home that holds its features, one file for each. pluginsKey is the top-level key of a
	// file about plugins.
	featuresDir = "config/features"
	pluginsKey  = "plugins"
	// maxFeature is the largest file that is edited, in bytes.
	maxFeature = 1 << 20
)

// FeatureFile returns the file of a home that holds the settings of plugins. If there is none, it returns the path at which to
// create it.
func FeatureFile(home string) (string, error) {
	dir := filepath.Join(home, filepath.FromSlash(featuresDir))
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("looking for the settings of plugins: %w", err)
	}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if ext := filepath.Ext(e.Name()); ext != ".yaml" && ext != ".yml" || strings.Contains(e.Name(), ".example.") {
			continue
		}
		text, err := files.Read(file, maxFeature)
		if err != nil {
			return "", fmt.Errorf("looking for the settings of plugins: %w", err)
		}
		var top map[string]yaml.Node
		if err := yaml.Unmarshal(text, &top); err != nil {
			return "", fmt.Errorf("looking for the settings of plugins: %s: %w", file, err)
		}
		if _, has := top[pluginsKey]; has {
			return file, nil
		}
	}
	return filepath.Join(dir, pluginsKey+".yaml"), nil
}

// ReadSelection returns the selection of one file. A file that does not exist selects nothing.
func ReadSelection(file string) (Selection, error) {
	text, err := files.Read(file, maxFeature)
	if errors.Is(err, fs.ErrNotExist) {
		return Selection{}, nil
	}
	if err != nil {
		return Selection{}, fmt.Errorf("reading the settings of plugins: %w", err)
	}
	var top struct {
		Plugins Selection `yaml:"plugins"`
	}
	if err := yaml.Unmarshal(text, &top); err != nil {
		return Selection{}, fmt.Errorf("reading the settings of plugins: %s: %w", file, err)
	}
	return top.Plugins, nil
}

// WriteSelection changes the lists of one file and keeps everything else in the file. A nil list leaves the list in the file
// unchanged.
func WriteSelection(file string, s Selection) error {
	text, err := files.Read(file, maxFeature)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the settings of plugins: %w", err)
	}
	if text, err = edited(text, s); err != nil {
		return fmt.Errorf("changing %s: %w; edit it by hand", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // as aura init makes it
		return fmt.Errorf("changing %s: %w", file, err)
	}
	return files.Save(file, text, 0o644)
}

// edited returns the text of a file with the lists of the selection. Comments keep their places.
func edited(text []byte, s Selection) ([]byte, error) {
	var doc, next yaml.Node
	var out bytes.Buffer
	d := yaml.NewDecoder(bytes.NewReader(text))
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		// The file is empty or has only comments, which belong to no node.
		out.Write(text)
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			out.WriteByte('\n')
		}
		doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	case err != nil:
		return nil, err
	case !errors.Is(d.Decode(&next), io.EOF):
		return nil, errors.New("it has several documents")
	}
	top, err := mapping(doc.Content[0])
	if err != nil {
		return nil, err
	}
	plugins, err := mapping(child(top, pluginsKey))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pluginsKey, err)
	}
	for _, list := range []struct {
		key   string
		names []string
	}{{"include", s.Include}, {"exclude", s.Exclude}} {
		if list.names == nil {
			continue
		}
		if err := setList(child(plugins, list.key), list.names); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", pluginsKey, list.key, err)
		}
	}
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&doc), enc.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// mapping returns n if it is a mapping. A node without a value becomes a mapping.
func mapping(n *yaml.Node) (*yaml.Node, error) {
	if unset(n) {
		n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "!!map", "", 0
	}
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d is not a mapping of its own", n.Line)
	}
	return n, nil
}

func unset(n *yaml.Node) bool {
	return n.Kind == 0 || n.Kind == yaml.MappingNode && len(n.Content) == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// child returns the value of a key. It adds the key if the key is missing.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	value := &yaml.Node{}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
	if n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 {
		n.Style = 0 // the file had {} for an empty mapping
	}
	return value
}

// setList sets the entries of a list to the names. Entries that remain keep their comments.
func setList(n *yaml.Node, names []string) error {
	if unset(n) {
		n.Kind, n.Tag, n.Value, n.Style = yaml.SequenceNode, "!!seq", "", yaml.FlowStyle
	}
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("line %d is not a list of its own", n.Line)
	}
	n.Content = slices.DeleteFunc(n.Content, func(e *yaml.Node) bool { return !slices.Contains(names, e.Value) })
	for _, name := range names {
		if !slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return e.Value == name }) {
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name})
		}
	}
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return nil
}

// EnableManifest removes disabled: true from a plugin's manifest.
func EnableManifest(file string) error {
	text, err := files.Read(file, maxManifest)
	if err != nil {
		return fmt.Errorf("enabling a plugin: %w", err)
	}
	text, err = withoutDisabled(text)
	if err != nil {
		return fmt.Errorf("enabling a plugin: %s: %w; edit it by hand", file, err)
	}
	return files.Save(file, text, 0o644)
}

// withoutDisabled removes the line with the key, so that the manifest is the same as before the line was added.
func withoutDisabled(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Kind == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it has no keys")
	}
	top := doc.Content[0]
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Value != "disabled" {
			continue
		}
		if top.Style&yaml.FlowStyle != 0 || key.Line != value.Line || key.Column != 1 {
			return nil, errors.New("the key disabled: has no line of its own")
		}
		return bytes.Join(slices.Delete(lines, key.Line-1, key.Line), nil), nil
	}
	return text, nil
}
