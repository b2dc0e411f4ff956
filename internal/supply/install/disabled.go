package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// maxManifest is the largest manifest that is edited, in bytes. The reader of manifests refuses larger ones.
const maxManifest = 1 << 20

// left reports whether the user disabled a plugin in its manifest, either before or after the entry was recorded. hash is the
// current hash of the manifest.
func (e locked) left(p manifest.Plugin, hash string) bool {
	return p.Manifest.Disabled && (e.Disabled || e.Files[manifest.FileName] != hash)
}

// keepDisabled disables the plugins of the new version that the user disabled in the old version by editing the manifest: that
// is how a user leaves out one plugin of a pack. It returns the keys of these plugins in the lock.
func keepDisabled(u unit, dir string) ([]string, error) {
	lock, err := readLock(u.place)
	if err != nil {
		return nil, err
	}
	var kept []string
	for _, p := range u.plugins {
		key, err := u.place.key(p.Dir)
		if err != nil {
			return nil, err
		}
		hash, err := hashFile(filepath.Join(p.Dir, manifest.FileName))
		if err != nil || !lock.Plugins[key].left(p, hash) {
			continue
		}
		err = disableIn(filepath.Join(dir, strings.TrimPrefix(p.Dir, u.path()), manifest.FileName))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("keeping plugin %q disabled: %w", p.Name, err)
		}
		kept = append(kept, key)
	}
	return kept, nil
}

// disableIn edits a manifest. A manifest that is a link is replaced by a file, because the link may lead to the manifest of
// another plugin.
func disableIn(file string) error {
	text, err := files.Read(file, maxManifest)
	if _, large := errors.AsType[*files.TooLargeError](err); large {
		return nil
	}
	if err != nil {
		return err
	}
	if text, err = disabled(text); err != nil {
		return err
	}
	return files.Replace(file, text, 0o644)
}

// disabled returns a manifest with disabled: true in it. Text that is not a manifest is returned unchanged; the reader of
// manifests refuses it.
func disabled(text []byte) ([]byte, error) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil {
		return text, nil //nolint:nilerr // what is wrong is told when the plugins are made ready
	}
	if doc.Kind == 0 || doc.Content[0].Tag == "!!null" {
		return []byte("disabled: true\n"), nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return text, nil
	}
	value := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
	found := false
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "disabled" {
			*root.Content[i+1], found = value, true
		}
	}
	if !found {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "disabled"}, &value)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(&doc), enc.Close()); err != nil {
		return nil, fmt.Errorf("writing %s: %w", manifest.FileName, err)
	}
	return out.Bytes(), nil
}
