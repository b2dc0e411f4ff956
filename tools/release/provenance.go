package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// The parts of an in-toto statement with SLSA provenance (both version 1) that are used here.
type (
	statement struct {
		Type          string     `json:"_type"`
		Subject       []resource `json:"subject"`
		PredicateType string     `json:"predicateType"`
		Predicate     predicate  `json:"predicate"`
	}
	resource struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest,omitempty"`
	}
	predicate struct {
		BuildDefinition buildDefinition `json:"buildDefinition"`
		RunDetails      runDetails      `json:"runDetails"`
	}
	buildDefinition struct {
		BuildType            string         `json:"buildType"`
		ExternalParameters   map[string]any `json:"externalParameters"`
		InternalParameters   map[string]any `json:"internalParameters"`
		ResolvedDependencies []resource     `json:"resolvedDependencies"`
	}
	runDetails struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	}
)

const payloadType = "application/vnd.in-toto+json"

// provenance writes from what, and how, all files so far were made. It has no moment and no machine in it, so that a second build gives the
// same statement. With a key, a signed envelope is written beside it.
func (r *releaser) provenance() error {
	s := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1"}
	for _, a := range r.made {
		s.Subject = append(s.Subject, resource{Name: a.name, Digest: map[string]string{"sha256": a.sha256}})
	}
	var platforms []string
	for _, p := range r.build.platforms {
		platforms = append(platforms, p.String())
	}
	s.Predicate.BuildDefinition = buildDefinition{
		BuildType:          "https://github.com/idelchi/aura/blob/main/docs/install-aura.md#provenance",
		ExternalParameters: map[string]any{"version": r.src.version, "platforms": platforms},
		InternalParameters: map[string]any{"go": r.build.version.Go, "command": "make release"},
		ResolvedDependencies: []resource{{
			URI: "git+https://github.com/idelchi/aura", Digest: map[string]string{"gitCommit": r.src.commit},
		}},
	}
	s.Predicate.RunDetails.Builder.ID = "https://github.com/idelchi/aura/tree/main/tools/release"
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	name := fmt.Sprintf("aura-%s.provenance.json", r.src.version)
	if err := r.text(name, append(data, '\n')); err != nil || r.sign == nil {
		return err
	}
	signed, err := r.sign(payloadType, append(data, '\n'))
	if err != nil {
		return err
	}
	return r.text(fmt.Sprintf("aura-%s.provenance.dsse.json", r.src.version), signed)
}

// signer returns an envelope with data and its signature. It is nil without a key.
type signer func(payloadType string, data []byte) ([]byte, error)

// envelope is a DSSE envelope.
type envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"`
}

// readKey reads the key that signs, if there is one.
func readKey(path string) (signer, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // without a key, nothing is signed
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the key: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("reading the key %s: it is not PEM", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the key %s: %w", path, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the key is not an Ed25519 key: make one with 'openssl genpkey -algorithm ed25519'")
	}
	return func(kind string, data []byte) ([]byte, error) { return sign(key, kind, data) }, nil
}

func sign(key ed25519.PrivateKey, kind string, data []byte) ([]byte, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("the key has no public part")
	}
	id := sha256.Sum256(public)
	out, err := json.Marshal(envelope{
		PayloadType: kind, Payload: base64.StdEncoding.EncodeToString(data),
		Signatures: []signature{{hex.EncodeToString(id[:]), base64.StdEncoding.EncodeToString(ed25519.Sign(key, authenticated(kind, data)))}},
	})
	return append(out, '\n'), err
}

// authenticated is what DSSE signs: the kind and the data with their lengths.
func authenticated(kind string, data []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(kind), kind, len(data), data)
}
