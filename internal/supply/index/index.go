// Package index reads, checks, searches and writes indexes of plugins: one JSON file with a detached SSH signature. It opens nothing: files are given
// as bytes.
//
// An index comes from a server that nobody trusts. Nothing in it is read before its signature was verified.
package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// The names of an index and of its signature.
const (
	FileName      = "index.json"
	SignatureName = FileName + SignatureSuffix
	// SignatureSuffix is what ssh-keygen appends to the name of a file that it signs.
	SignatureSuffix = ".sig"
	// Namespace is what the signature of an index is for.
	Namespace = "aura-index"
)

// The limits of an index.
const (
	// MaxSize is in bytes.
	MaxSize    = 8 << 20
	MaxEntries = 10_000
	// MaxValid is how far ahead of now an index may expire: a longer time would let a server hold back newer versions for as long.
	MaxValid = 400 * 24 * time.Hour
	// MaxSerial is the largest number that every reader of JSON reads exactly.
	MaxSerial = 1<<53 - 1

	maxText     = 1000
	maxKeywords = 20
	maxKeyword  = 50
	maxAddress  = 2000
)

const version = 1

// Index is a list of plugins.
type Index struct {
	Version int `check:"required,min=1,max=1" json:"version"`
	// Name is what its author calls it.
	Name string `check:"required" json:"name"`
	// Serial grows with each version of the index.
	Serial int64 `check:"required,min=1" json:"serial"`
	// Expires is the time from which on the index is not used.
	Expires time.Time `check:"required" json:"expires"`
	Plugins []Entry   `check:"required" json:"plugins"`
}

// Entry is one version of a plugin or a pack.
type Entry struct {
	Name        string   `check:"required" json:"name"`
	Description string   `json:"description,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
	URL         string   `check:"required" json:"url"`
	// Ref is the tag or branch that the commit was taken from. Subpath is the directory within the source, or empty.
	Ref     string `json:"ref,omitempty"`
	Subpath string `json:"subpath,omitempty"`
	Commit  string `check:"required" json:"commit"`
	// Hash is the hash of the files of the commit.
	Hash string `check:"required" json:"hash"`
	// Requests maps each plugin to what it asks for.
	Requests map[string]manifest.Asks `check:"required" json:"requests"`
}

// FileType returns the type into which an index is decoded. Its tags describe the file to internal/settings/schema.
func FileType() reflect.Type { return reflect.TypeFor[Index]() }

var (
	nameForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`) })
	commitForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })
	hashForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })
)

// CheckName returns an error for a text that cannot be the name of an index, or of a source.
func CheckName(name string) error {
	if !nameForm().MatchString(name) {
		return fmt.Errorf("%.80q is no name of an index: it has lower-case letters, digits, dots, hyphens and underscores, at most 64, and begins with a letter or a digit", name)
	}
	return nil
}

// check returns an error for an index that no author makes with `aura sources new`.
func (x *Index) check() error {
	switch {
	case x.Version != version:
		return fmt.Errorf("its version is %d, and this aura supports version %d; use a newer aura", x.Version, version)
	case x.Serial < 1 || x.Serial > MaxSerial:
		return fmt.Errorf("its serial %d is not between 1 and %d", x.Serial, int64(MaxSerial))
	case x.Expires.IsZero():
		return fmt.Errorf("%q is missing: every index expires", "expires")
	case x.Plugins == nil:
		return fmt.Errorf("%q is missing", "plugins")
	case len(x.Plugins) > MaxEntries:
		return fmt.Errorf("it has more than the limit of %d plugins", MaxEntries)
	}
	if err := CheckName(x.Name); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, e := range x.Plugins {
		if err := e.check(); err != nil {
			return fmt.Errorf("plugins[%d] %.80q: %w", i, e.Name, err)
		}
		if seen[e.Name] {
			return fmt.Errorf("plugins[%d]: there are two plugins named %q", i, e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

func (e Entry) check() error {
	if err := manifest.CheckName(e.Name); err != nil {
		return err
	}
	for _, text := range []struct {
		key, value string
		limit      int
	}{{"description", e.Description, maxText}, {"url", e.URL, maxAddress}, {"ref", e.Ref, maxText}, {"subpath", e.Subpath, maxText}} {
		if len(text.value) > text.limit || !utf8.ValidString(text.value) {
			return fmt.Errorf("%q is longer than %d bytes", text.key, text.limit)
		}
	}
	switch {
	case e.URL == "":
		return fmt.Errorf("%q is missing", "url")
	case !commitForm().MatchString(e.Commit):
		return fmt.Errorf("%q is not a whole commit of 40 digits: %.60q", "commit", e.Commit)
	case !hashForm().MatchString(e.Hash):
		return fmt.Errorf("%q is not sha256: and 64 digits: %.80q", "hash", e.Hash)
	case len(e.Requests) == 0:
		return fmt.Errorf("%q is missing: it names each plugin, with what it asks for", "requests")
	case len(e.Keywords) > maxKeywords:
		return fmt.Errorf("it has more than the limit of %d keywords", maxKeywords)
	}
	for _, word := range e.Keywords {
		if word == "" || len(word) > maxKeyword {
			return fmt.Errorf("the keyword %.60q is empty or longer than %d bytes", word, maxKeyword)
		}
	}
	return nil
}

// Encode returns the file of an index.
func (x *Index) Encode() ([]byte, error) {
	x.Version = version
	if err := x.check(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(x); err != nil {
		return nil, fmt.Errorf("writing the index: %w", err)
	}
	if out.Len() > MaxSize {
		return nil, fmt.Errorf("the index has %d bytes, and the limit is %d", out.Len(), MaxSize)
	}
	return out.Bytes(), nil
}

// Find returns the entry of a name.
func (x *Index) Find(name string) (Entry, bool) {
	for _, e := range x.Plugins {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}
