package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/strict"
)

// pluginsKey is the top-level key of the plugins' settings, and the name of the file where they are looked for first.
const pluginsKey = "plugins"

// features reads features/ of each home and merges what the homes set, the later over the earlier.
func (l *loader) features() (Features, []PluginRoot, error) {
	var (
		merged Features
		roots  []PluginRoot
	)
	for _, home := range l.homes {
		documents, err := home.features()
		if err != nil {
			return Features{}, nil, err
		}
		plugins, err := l.readPlugins(documents)
		if err != nil {
			return Features{}, nil, err
		}
		merged.Plugins = plugins.over(merged.Plugins)
		root := plugins.root(home)
		// Homes that share a directory would otherwise hide their own plugins from themselves.
		roots = slices.DeleteFunc(roots, func(r PluginRoot) bool { return r.Dir == root.Dir })
		roots = append(roots, root)
	}
	return merged, roots, nil
}

// features opens the files of the home's features by their top-level keys. Keys that nothing reads are no error.
func (h Home) features() (map[string]document, error) {
	sources, err := h.sources("features", yamlFiles)
	if err != nil {
		return nil, err
	}
	documents := map[string]document{}
	for _, s := range sources {
		d, err := s.open()
		if err != nil {
			return nil, err
		}
		key, err := topLevelKey(d)
		if err != nil {
			return nil, err
		}
		if key == nil {
			continue
		}
		if earlier, ok := documents[key.Value]; ok {
			return nil, &strict.Error{File: s.File, Line: key.Line, Err: fmt.Errorf(
				"feature %q is set in %s already: put both into one file", key.Value, earlier.File)}
		}
		documents[key.Value] = d
	}
	return documents, nil
}

// topLevelKey is the one key of a feature's file; nil if the file is empty.
func topLevelKey(d document) (*yaml.Node, error) {
	if d.root.IsZero() || d.root.ShortTag() == "!!null" {
		return nil, nil
	}
	if d.root.Kind != yaml.MappingNode || len(d.root.Content) == 0 {
		return nil, &strict.Error{File: d.File, Line: d.root.Line, Err: errors.New("expected one top-level key, the name of a feature")}
	}
	key := d.root.Content[0]
	if len(d.root.Content) > 2 {
		second := d.root.Content[2]
		return nil, &strict.Error{File: d.File, Line: second.Line, Err: fmt.Errorf(
			"key %q: a file in features/ has one top-level key, here %q: move the other to a file of its own", second.Value, key.Value)}
	}
	name := strings.TrimSuffix(filepath.Base(d.File), filepath.Ext(d.File))
	if name == pluginsKey && key.Value != pluginsKey {
		return nil, &strict.Error{File: d.File, Line: key.Line, Err: fmt.Errorf("unknown key %q; known keys: %s", key.Value, pluginsKey)}
	}
	return key, nil
}

func (l *loader) readPlugins(documents map[string]document) (pluginsFile, error) {
	d, ok := documents[pluginsKey]
	if !ok {
		return pluginsFile{}, nil
	}
	var content struct {
		Plugins pluginsFile `yaml:"plugins"`
	}
	if err := l.decode(d, &content); err != nil {
		return pluginsFile{}, err
	}
	return content.Plugins, content.Plugins.check(d)
}
