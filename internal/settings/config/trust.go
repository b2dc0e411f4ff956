package config

import (
	"fmt"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

const trustKey = "trust"

// TrustRule decides which consents of the user are valid: the key trust: in features/ of the user's home.
type TrustRule string

// The rules.
const (
	// TrustAny accepts both kinds of consent: for a directory, and for files with their current content.
	TrustAny TrustRule = "any"
	// TrustPinned accepts only consent for files with their current content.
	TrustPinned TrustRule = "pinned"
)

// Rule returns the user's rule for consent. It reads only the features of the user's home.
func Rule(o Options) (TrustRule, error) {
	p, err := locate(o)
	if err != nil || p.user == "" {
		return TrustAny, err
	}
	documents, err := Home{Dir: p.user, Kind: HomeUser}.features()
	if err != nil {
		return TrustAny, fmt.Errorf("loading configuration: %w", err)
	}
	d, ok := documents[trustKey]
	if !ok {
		return TrustAny, nil
	}
	var content featureFile
	if err := strictyaml.DecodeNode(d.File, d.root, &content); err != nil {
		return TrustAny, fmt.Errorf("loading configuration: %w", err)
	}
	if err := content.Trust.check(declaration{document: d}); err != nil {
		return TrustAny, fmt.Errorf("loading configuration: %w", err)
	}
	return content.Trust, nil
}

func (r TrustRule) check(d declaration) error {
	if r == "" || r == TrustAny || r == TrustPinned {
		return nil
	}
	return d.wrong([]string{trustKey}, "%q is neither %s nor %s", r, TrustAny, TrustPinned)
}

// checkTrust refuses the rule outside the user's home. A project that asks for consent must not decide how consent is given.
func (l *loader) checkTrust(d declaration, r TrustRule) error {
	if r != "" && !sameFile(d.Home.Dir, l.user) {
		return d.wrong([]string{trustKey}, "only the user's home decides how consent is given: set it in its features/trust.yaml")
	}
	return r.check(d)
}
