package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/signature"
)

// plan is the file from which an author makes an index.
type plan struct {
	Name string `check:"required" yaml:"name"`
	// ValidDays is how long each version of the index may be used, in days; 0 stands for defaultDays.
	ValidDays int       `check:"min=1,max=400" yaml:"valid_days"`
	Plugins   []planned `check:"required"      yaml:"plugins"`
}

const defaultDays = 90

// planned is a plugin or a pack to list.
type planned struct {
	URL         string   `check:"required"   yaml:"url"`
	Ref         string   `yaml:"ref"`
	Subpath     string   `yaml:"subpath"`
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Keywords    []string `yaml:"keywords"`
}

// NewRequest describes the index to make.
type NewRequest struct {
	// Plan is the file with the list of repositories, and Out the file of the index. The signature is written beside it.
	Plan, Out string
	// Key is a file with a key, or a fingerprint; empty for the usual key of the user.
	Key string
	// Serial is the serial of the index; 0 for one more than the index in Out.
	Serial int64
}

// Made is an index that was made.
type Made struct {
	Name      string    `json:"name"`
	File      string    `json:"file"`
	Signature string    `json:"signature"`
	Serial    int64     `json:"serial"`
	Expires   time.Time `json:"expires"`
	Key       string    `json:"key"`
	// Plugins are the entries.
	Plugins []index.Entry `json:"plugins"`
}

// New makes the next version of an index from a list of repositories, and signs it.
func New(ctx context.Context, r NewRequest, o Options) (Made, error) {
	m, err := makeIndex(ctx, r, o)
	if err != nil {
		return Made{}, fmt.Errorf("making the index %s: %w", r.Out, err)
	}
	return m, nil
}

func makeIndex(ctx context.Context, r NewRequest, o Options) (Made, error) {
	text, err := files.Read(r.Plan, strictyaml.MaxSize)
	if err != nil {
		return Made{}, err
	}
	p := plan{ValidDays: defaultDays}
	if err := strictyaml.Decode(r.Plan, text, &p); err != nil {
		return Made{}, err
	}
	if err := index.CheckName(p.Name); err != nil {
		return Made{}, fmt.Errorf("%s: name: %w", r.Plan, err)
	}
	serial, key, err := nextSerial(r, p.Name)
	if err != nil {
		return Made{}, err
	}
	x := &index.Index{Name: p.Name, Serial: serial, Expires: o.now().Add(time.Duration(p.ValidDays) * 24 * time.Hour), Plugins: []index.Entry{}}
	for _, want := range p.Plugins {
		e, err := want.entry(ctx, o)
		if err != nil {
			return Made{}, err
		}
		x.Plugins = append(x.Plugins, e)
	}
	if text, err = x.Encode(); err != nil {
		return Made{}, err
	}
	armored, by, err := install.SignFile(ctx, r.Key, index.Namespace, text, o.Install)
	if err != nil {
		return Made{}, err
	}
	if key != "" && by != key && r.Serial == 0 {
		return Made{}, fmt.Errorf("the version before was signed with %s, and the key now is %s; users have to accept another key: repeat the command with --key, or with --serial %d if that is what you want", key, by, serial)
	}
	err = files.Save(r.Out+index.SignatureSuffix, armored, 0o644)
	if err == nil {
		err = files.Save(r.Out, text, 0o644)
	}
	return Made{Name: x.Name, File: r.Out, Signature: r.Out + index.SignatureSuffix, Serial: serial, Expires: x.Expires, Key: by, Plugins: x.Plugins}, err
}

// nextSerial returns the serial of the new version, and the key of the version before. That version counts only with a signature: confined code may have
// written it.
func nextSerial(r NewRequest, name string) (serial int64, key string, err error) {
	text, err := files.Read(r.Out, index.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return max(r.Serial, 1), "", nil
	}
	if err != nil || r.Serial > 0 {
		return r.Serial, "", err
	}
	const accept = "; --serial N begins anew, with a number above all that users have seen"
	armored, err := files.Read(r.Out+index.SignatureSuffix, signature.MaxFileSignature)
	if err != nil {
		return 0, "", fmt.Errorf("reading the version before: %w%s", err, accept)
	}
	by, err := signature.VerifyFile(text, armored, index.Namespace)
	if err != nil {
		return 0, "", fmt.Errorf("reading the version before: %w%s", err, accept)
	}
	x, err := index.Parse(text)
	if err == nil && x.Name != name {
		err = fmt.Errorf("it is the index %q, and not %q", x.Name, name)
	}
	if err != nil {
		return 0, "", fmt.Errorf("reading the version before: %w%s", err, accept)
	}
	return x.Serial + 1, by.Key, nil
}

// entry fetches a version, and returns what the index says about it.
func (w planned) entry(ctx context.Context, o Options) (index.Entry, error) {
	request := install.Request{Source: w.URL, Ref: w.Ref, Name: w.Name}
	if w.Subpath != "" {
		request.Subpaths = []string{w.Subpath}
	}
	d, err := install.Describe(ctx, request, o.Install)
	if err != nil {
		return index.Entry{}, err
	}
	e := index.Entry{
		Name: d.Name, Description: plaintext.Line(d.Description), Keywords: w.Keywords, URL: d.URL, Ref: d.Tag, Subpath: d.Subpath,
		Commit: d.Commit, Hash: d.Hash, Requests: d.Requests,
	}
	if w.Description != "" {
		e.Description = w.Description
	}
	if w.Name != "" {
		e.Name = w.Name
	}
	e.Description = cut(e.Description, maxDescription)
	return e, nil
}

// PlanFile returns the file of the index that belongs to a list of repositories.
func PlanFile(plan string) string { return filepath.Join(filepath.Dir(plan), index.FileName) }
