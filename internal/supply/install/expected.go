package install

import (
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// Indexed records the index from which a version was installed.
type Indexed struct {
	// Name is the user's name for the index, and Plugin the name of the entry.
	Name   string `check:"required" json:"name"`
	Plugin string `check:"required" json:"plugin"`
	// Serial and Key are the serial of the index and the fingerprint of the key that signed it; empty for an index without a signature.
	Serial int64  `json:"serial,omitempty"`
	Key    string `json:"key,omitempty"`
}

// String names the index for users.
func (x *Indexed) String() string {
	if x.Key == "" {
		return x.Name + " (not signed)"
	}
	return fmt.Sprintf("%s, serial %d", x.Name, x.Serial)
}

// Expected is what an index says about a version. What is fetched has to be exactly that.
type Expected struct {
	Indexed

	URL string
	// Tag is the tag of the commit, or empty.
	Tag    string
	Commit string
	// Subpath is the directory that plugins are taken from, or empty.
	Subpath string
	// Hash is the hash of the files of the commit.
	Hash string
	// SameHost reports whether the host is that of the index, which the user named.
	SameHost bool
	// Requests maps each plugin to what it asks for.
	Requests map[string]manifest.Asks
}

// ref returns what is fetched: the tag, because it may carry the signature of the author, else the commit.
func (e *Expected) ref() string {
	if e.Tag != "" {
		return e.Tag
	}
	return e.Commit
}

// environment returns the options with which the version is fetched.
func (e *Expected) environment(o Options) Options {
	if e == nil || e.SameHost {
		return o
	}
	return o.withoutToken()
}

// record returns the record for the lock; nil if no index was asked.
func (e *Expected) record() *Indexed {
	if e == nil {
		return nil
	}
	return &e.Indexed
}

// checkCommit returns an error if another commit was fetched.
func (e *Expected) checkCommit(c clone) error {
	switch {
	case e == nil || c.commit.Hash.String() == e.Commit:
		return nil
	case e.Tag != "":
		return fmt.Errorf("the tag %s is at commit %s, but the index %s says %s: the tag has moved, or the index is out of date; run `aura sources update %s`, or ask who maintains it",
			e.Tag, c.commit.Hash, e.Name, e.Commit, word(e.Name))
	}
	return fmt.Errorf("it is at commit %s, but the index %s says %s", c.commit.Hash, e.Name, e.Commit)
}

// checkFiles returns an error if the files of the commit are not those of the index: a commit is named by a hash that can be forged.
func (e *Expected) checkFiles(dir string) error {
	if e == nil {
		return nil
	}
	hash, err := hashSource(dir)
	if err == nil && hash != e.Hash {
		err = fmt.Errorf("the files of commit %s have the hash %s, but the index %s says %s; nothing of it was installed: ask who maintains the index", e.Commit, hash, e.Name, e.Hash)
	}
	return err
}

// hashSource returns one hash of all files of a source, as it was fetched.
func hashSource(dir string) (string, error) {
	hashes, err := hashTree(dir)
	return hashAll(hashes), err
}

// checkRequests returns an error if a plugin is not in the index, or asks for more than the index says. A single plugin may have got another name.
func (e *Expected) checkRequests(list []Facts) error {
	if e == nil {
		return nil
	}
	for _, f := range list {
		said, known := e.Requests[f.Name]
		if len(list) == 1 && len(e.Requests) == 1 {
			for _, said = range e.Requests {
				known = true
			}
		}
		if !known {
			return fmt.Errorf("it holds a plugin %q, which the index %s does not name", f.Name, e.Name)
		}
		if more := f.Asks.Beyond(said); !more.Empty() {
			return fmt.Errorf("plugin %q asks for more than the index %s says: %s", f.Name, e.Name, strings.Join(more.List(), ", "))
		}
	}
	return nil
}

// indexed returns the index from which the unit was installed; nil if there was none.
func (u unit) indexed() (*Indexed, error) {
	lock, err := readLock(u.place)
	if err != nil {
		return nil, err
	}
	for _, e := range lock.Plugins {
		if e.Unit == u.dir && e.Index != nil {
			return e.Index, nil
		}
	}
	return nil, nil //nolint:nilnil // nil is a unit that was installed from its own source
}

// expected returns what the index of an installed unit says now; nil if the unit did not come from a signed index, or if the user names a branch or a tag.
// The record is that of the new version.
func (u unit) expected(o Options) (now *Expected, record *Indexed, err error) {
	before, err := u.indexed()
	switch {
	case err != nil || before == nil:
		return nil, nil, err
	case before.Key == "":
		return nil, before, nil
	case o.Ref != "":
		return nil, nil, nil
	}
	now, err = u.follow(before, o)
	return now, now.record(), err
}

// follow asks the index of the installed version for the newest one.
func (u unit) follow(before *Indexed, o Options) (*Expected, error) {
	if o.Index == nil {
		return nil, fmt.Errorf("it was installed from the index %s, which cannot be read here", before)
	}
	now, err := o.Index(before.Name, before.Plugin)
	if err != nil {
		return nil, fmt.Errorf("it was installed from the index %s: %w; to follow its repository instead, repeat the command with --ref", before, err)
	}
	switch {
	case now.Key != before.Key && o.Accept.Signer != now.Key:
		return nil, fmt.Errorf("the index %s is signed with the key %s, and when the plugin was installed with %s; to accept the other key, repeat the command with --signer %s",
			before.Name, now.Key, before.Key, now.Key)
	case now.Key == before.Key && now.Serial < before.Serial:
		return nil, fmt.Errorf("the index %s has the serial %d, and the plugin was installed from serial %d; run `aura sources update %s`", before.Name, now.Serial, before.Serial, word(before.Name))
	case now.URL != u.origin.URL:
		return nil, fmt.Errorf("the index %s now takes it from %s, and it was installed from %s: remove it and add it again", before.Name, now.URL, u.origin.URL)
	}
	return now, nil
}

var errNeedsGit = errors.New("an index names git repositories only")
