package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// Features holds the settings of the parts of aura that have their own settings.
type Features struct {
	Plugins      Plugins
	Tools        Tools
	Compaction   Compaction
	Sandbox      Sandbox
	Instructions InstructionSettings
	Screen       Screen
	Acp          Acp
	Record       Record
	// refused has what the policy of the machine changed.
	refused []error
}

// Refused returns what of the settings the policy of the machine does not permit, and changed.
func (f Features) Refused() []error { return f.refused }

// Record decides whether the whole input and output of every plugin call is kept: the key record: in features/.
type Record struct {
	Enabled bool `yaml:"enabled"`
}

// featureFile holds the settings of features that can be set in the files of a home, and in agents, modes and tasks.
type featureFile struct {
	Plugins      pluginsFile         `yaml:"plugins"`
	Tools        Tools               `yaml:"tools"`
	Compaction   Compaction          `yaml:"compaction"`
	Sandbox      Sandbox             `yaml:"sandbox"`
	Instructions InstructionSettings `yaml:"instructions"`
	Record       Record              `yaml:"record"`
	// Screen is allowed only in the user's home.
	Screen Screen `yaml:"screen"`
	// Acp is allowed only in the user's home.
	Acp Acp `yaml:"acp"`
	// Trust is allowed only in the user's home; see Rule.
	Trust TrustRule `yaml:"trust"`
}

const (
	pluginsKey      = "plugins"
	toolsKey        = "tools"
	compactionKey   = "compaction"
	sandboxKey      = "sandbox"
	instructionsKey = "instructions"
	screenKey       = "screen"
	recordKey       = "record"
	acpKey          = "acp"
)

// defaultFeatures returns the settings that apply if nothing is set.
func defaultFeatures() Features {
	return Features{
		Tools: defaultTools(), Compaction: defaultCompaction(), Sandbox: defaultSandbox(), Instructions: InstructionSettings{Enabled: true}, Screen: defaultScreen(),
	}
}

// globals holds the features as the homes set them.
type globals struct {
	features Features
	roots    []PluginRoot
	// portable holds the directories of portable plugins beside the homes.
	portable []PluginRoot
	signing  []homeSigning
	// set holds the declarations that set features, lowest precedence first.
	set lineage
}

// features reads features/ of each home and merges the settings. Later homes take precedence.
func (l *loader) features() (globals, error) {
	g := globals{features: defaultFeatures()}
	var faults []error
	for _, home := range l.homes {
		plugins, err := l.homeFeatures(home, &g)
		faults = append(faults, err)
		root := plugins.root(home, l.userHome)
		// If homes share a directory of plugins, list the directory only once. Otherwise its plugins would shadow themselves.
		g.roots = slices.DeleteFunc(g.roots, func(r PluginRoot) bool { return r.Dir == root.Dir })
		g.roots = append(g.roots, root)
		signing, err := signingOf(home, plugins.Signed)
		faults = append(faults, err)
		g.signing = append(g.signing, signing)
	}
	g.portable = l.portableRoots()
	return g, errors.Join(faults...)
}

// homeFeatures merges the settings of a home into g and returns its plugin settings.
func (l *loader) homeFeatures(home Home, g *globals) (pluginsFile, error) {
	documents, err := home.features()
	faults := []error{err}
	var plugins pluginsFile
	for _, key := range slices.Sorted(maps.Keys(documents)) {
		set, err := l.set(declaration{document: documents[key]}, g)
		faults = append(faults, err)
		if key == pluginsKey {
			plugins = set
		}
	}
	return plugins, errors.Join(faults...)
}

// set merges the settings of a features file into g and returns its plugin settings.
func (l *loader) set(d declaration, g *globals) (pluginsFile, error) {
	var content featureFile
	if err := l.decode(d.document, &content); err != nil {
		return pluginsFile{}, err
	}
	if err := errors.Join(d.checkFeatures(content.Plugins), l.checkTrust(d, content.Trust), l.checkScreen(d, content.Screen), l.checkVerify(d, content.Plugins), l.checkACP(d)); err != nil {
		return pluginsFile{}, err
	}
	features, err := g.features.with(d.Source, d.node())
	if err != nil {
		return pluginsFile{}, err
	}
	g.features, g.set = features, append(g.set, d)
	return content.Plugins, nil
}

// with returns f overridden by the settings in a flat tree of features. Null means not set.
func (f Features) with(of Source, n *yaml.Node) (Features, error) {
	file := of.File
	var plugins pluginsFile
	if err := decodeSet(file, value(n, pluginsKey), &plugins); err != nil {
		return Features{}, err
	}
	for key, settings := range map[string]any{toolsKey: &f.Tools, compactionKey: &f.Compaction, instructionsKey: &f.Instructions, screenKey: &f.Screen, recordKey: &f.Record, acpKey: &f.Acp} {
		if err := decodeSet(file, pruned(value(n, key)), settings); err != nil {
			return Features{}, err
		}
	}
	f.Plugins = plugins.over(f.Plugins)
	var err error
	f.Sandbox, err = f.Sandbox.with(of, pruned(value(n, sandboxKey)))
	return f, err
}

func decodeSet(file string, n *yaml.Node, into any) error {
	if n == nil || n.ShortTag() == nullTag {
		return nil
	}
	return strictyaml.DecodeNode(file, n, into)
}

// features opens the files of the home's features and returns them by their top-level keys.
func (h Home) features() (map[string]document, error) {
	features, err1 := h.sources("config/features", yamlFiles)
	confinement, err2 := h.sources("config/sandbox", yamlFiles)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	documents := map[string]document{}
	var faults []error
	for i, s := range slices.Concat(features, confinement) {
		key, d, err := s.feature(i >= len(features))
		if err != nil || key == nil {
			faults = append(faults, err)
			continue
		}
		if earlier, ok := documents[key.Value]; ok {
			faults = append(faults, &strictyaml.Error{File: s.File, Line: key.Line, Err: fmt.Errorf(
				"feature %q is set in %s already: put both into one file", key.Value, earlier.File)})
		}
		documents[key.Value] = d
	}
	return documents, errors.Join(faults...)
}

// feature opens a features file. It also returns the file's top-level key, which is nil if the file is empty.
func (s Source) feature(inSandbox bool) (*yaml.Node, document, error) {
	d, err := s.open()
	if err != nil {
		return nil, d, err
	}
	key, err := topLevelKey(d)
	if err == nil && key != nil && inSandbox {
		err = onlySandbox(d, key)
	}
	return key, d, err
}

// topLevelKey returns the only key of a features file, or nil if the file is empty.
func topLevelKey(d document) (*yaml.Node, error) {
	if d.root.IsZero() || d.root.ShortTag() == "!!null" {
		return nil, nil
	}
	if d.root.Kind != yaml.MappingNode || len(d.root.Content) == 0 {
		return nil, &strictyaml.Error{File: d.File, Line: d.root.Line, Err: errors.New("expected one top-level key, the name of a feature")}
	}
	key := d.root.Content[0]
	if len(d.root.Content) > 2 {
		second := d.root.Content[2]
		return nil, &strictyaml.Error{File: d.File, Line: second.Line, Err: fmt.Errorf(
			"key %q: a file in features/ has one top-level key, here %q: move the other to a file of its own", second.Value, key.Value)}
	}
	return key, nil
}

// checkFeatures checks each declared feature value on its own.
func (d declaration) checkFeatures(plugins pluginsFile) error {
	if err := plugins.check(d); err != nil {
		return err
	}
	// The defaults are valid, so every fault comes from this declaration.
	f, err := defaultFeatures().with(d.Source, d.node())
	if err != nil {
		return err
	}
	if err := f.Tools.check(d.below(toolsKey)); err != nil {
		return err
	}
	if err := f.Sandbox.check(d.below(sandboxKey)); err != nil {
		return err
	}
	return f.Compaction.check(d.below(compactionKey))
}
