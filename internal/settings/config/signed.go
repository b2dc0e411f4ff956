package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/supply/signature"
)

// SignersFile is the name of a home's list of allowed signers, below the directory of its settings.
const SignersFile = "allowed_signers"

// Signers returns the path of the list of allowed signers of a home.
func (h Home) Signers() string { return filepath.Join(h.Dir, "config", SignersFile) }

// signedRules is the value of the key signed of one home: patterns of sources, in which * matches any text.
type signedRules map[string]signature.Rule

// UnmarshalYAML reads a word, which is for all sources, or words by patterns.
func (r *signedRules) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		n = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "*", Line: n.Line}, n}}
	}
	if n.Kind != yaml.MappingNode {
		return errors.New("it is neither a word nor words by patterns of sources")
	}
	*r = signedRules{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		pattern, word := n.Content[i].Value, signature.Rule(n.Content[i+1].Value)
		if !slices.Contains(signature.Rules, word) {
			return fmt.Errorf("line %d: %q is not a value of signed; there are off, preferred and required", n.Content[i+1].Line, word)
		}
		if pattern == "" {
			return fmt.Errorf("line %d: a pattern of sources is empty", n.Content[i].Line)
		}
		(*r)[pattern] = word
	}
	return nil
}

// YAMLSchema describes the value.
func (signedRules) YAMLSchema() map[string]any {
	const words = "^(off|preferred|required)$"
	return map[string]any{
		"type": []any{"string", "object"}, "pattern": words,
		"additionalProperties": map[string]any{"type": "string", "pattern": words},
	}
}

// strictness returns what the rules say about a source: the value of the longest pattern that matches, or -1 if none does.
func (r signedRules) strictness(source string) int {
	best, found := "", -1
	for _, pattern := range slices.Sorted(maps.Keys(r)) {
		if len(pattern) >= len(best) && matchesSource(pattern, source) {
			best, found = pattern, slices.Index(signature.Rules, r[pattern])
		}
	}
	return found
}

// matchesSource reports whether a pattern matches a whole source. It ignores the case, as hosts do.
func matchesSource(pattern, source string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(`(?is)^` + strings.Join(parts, ".*") + `$`).MatchString(source)
}

// homeSigning is what a home says about signatures.
type homeSigning struct {
	home    Home
	rules   signedRules
	allowed []signature.Signer
}

// maxSigners is the size of the largest list of allowed signers, in bytes.
const maxSigners = 4 << 20

// signingOf reads the list of allowed signers of a home, which need not exist.
func signingOf(home Home, rules signedRules) (homeSigning, error) {
	file := home.Signers()
	text, err := files.Read(file, maxSigners)
	if errors.Is(err, fs.ErrNotExist) {
		return homeSigning{home: home, rules: rules}, nil
	}
	if err != nil {
		return homeSigning{}, fmt.Errorf("reading the allowed signers: %w", err)
	}
	allowed, err := signature.ParseAllowed(file, text)
	if err != nil {
		return homeSigning{}, fmt.Errorf("reading the allowed signers: %w", err)
	}
	return homeSigning{home, rules, allowed}, nil
}

// Signing returns whether plugins from a source need a signature, and the keys whose signatures count in a home. Each home decides by its
// longest pattern that matches, and the strictest home counts: a project cannot permit what the user's own settings refuse. What the user
// requires is a signature of the user's own signers: a clone that brings plugins could bring the list that allows them. The policy of the machine
// restricts both.
func (c *Config) Signing(home, source string) signature.Policy {
	strictest := -1
	var allowed []signature.Signer
	for _, h := range c.globals.signing { // the user's home comes first
		if h.home.Kind == HomeUser || h.home.Dir == home && (strictest < 0 || signature.Rules[strictest] != signature.Required) {
			allowed = append(allowed, h.allowed...)
		}
		strictest = max(strictest, h.rules.strictness(source))
	}
	if strictest < 0 {
		strictest = slices.Index(signature.Rules, signature.Preferred)
	}
	return c.machineSigning(source, signature.Policy{Rule: signature.Rules[strictest], Allowed: allowed})
}
