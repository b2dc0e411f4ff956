package install

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/supply/signature"
)

// Signed records the signature of an installed version.
type Signed struct {
	// Signer is the first field of the line of allowed signers that names the key.
	Signer string `check:"required" json:"signer"`
	// Key is the fingerprint of the key.
	Key string `check:"required" json:"key"`
	// Object is what carries the signature: "commit", or "tag NAME".
	Object string `check:"required" json:"object"`
	// VerifiedAt is the time of the installation.
	VerifiedAt time.Time `check:"required" json:"verified_at"`
}

// String names the signer, the key and what was signed.
func (s *Signed) String() string { return fmt.Sprintf("%s, %s (%s)", s.Signer, s.Key, s.Object) }

// AcceptUnsigned is the value of Acceptance.Signer that accepts a version without a signature that counts.
const AcceptUnsigned = "none"

// hashed is the storage of a repository on this machine, whose files anybody may have written. It returns an object only if the object has
// its hash: a signature covers hashes.
type hashed struct{ storer.EncodedObjectStorer }

func (s hashed) EncodedObject(kind plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	found, err := s.EncodedObjectStorer.EncodedObject(kind, h)
	if err != nil {
		return nil, err
	}
	r, err := found.Reader()
	if err != nil {
		return nil, err
	}
	sum := plumbing.NewHasher(found.Type(), found.Size())
	_, err = io.Copy(sum, r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if sum.Sum() != h {
		return nil, fmt.Errorf("the repository is damaged: object %s has the content of another", h)
	}
	return found, nil
}

// verify checks the signature of the tag that was asked for or, if that has none, of the commit.
func (c clone) verify(allowed []signature.Signer, now time.Time) (*Signed, error) {
	if !c.tag.IsZero() {
		raw, err := c.raw(plumbing.TagObject, c.tag)
		if err == nil {
			var v signature.Verified
			if v, err = signature.Verify(signature.Tag, raw, c.tagName, allowed, now); err == nil {
				return &Signed{v.Signer, v.Key, "tag " + c.tagName, now}, nil
			}
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) && !errors.Is(err, signature.ErrUnsigned) {
			return nil, fmt.Errorf("tag %s: %w", c.tagName, err)
		}
	}
	raw, err := c.raw(plumbing.CommitObject, c.commit.Hash)
	if err != nil {
		return nil, err
	}
	v, err := signature.Verify(signature.Commit, raw, "", allowed, now)
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", c.commit.Hash, err)
	}
	return &Signed{v.Signer, v.Key, "commit", now}, nil
}

// raw returns the bytes of an object: one more than are verified, if it has more.
func (c clone) raw(kind plumbing.ObjectType, h plumbing.Hash) ([]byte, error) {
	found, err := c.storer.EncodedObject(kind, h)
	if err != nil {
		return nil, err
	}
	r, err := found.Reader()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, signature.MaxObject+1))
	return text, errors.Join(err, r.Close())
}

// signature decides by the signature of a version whether it may be installed. before is the record of the installed version; nil if there is
// none.
func (o Options) signature(p Place, url string, c clone, before *Signed) (*Signed, error) {
	policy := o.policy(p, url)
	if policy.Refused != nil {
		return nil, policy.Refused
	}
	if policy.Rule == signature.Off {
		return nil, nil //nolint:nilnil // nil is a version without a signature
	}
	signed, err := c.verify(policy.Allowed, o.now())
	if err != nil {
		return nil, o.unsigned(policy, before, err)
	}
	if before != nil && before.Signer != signed.Signer && o.Accept.Signer != signed.Key {
		return nil, fmt.Errorf("it is signed by %s, but the installed version by %s; to accept the other signer, repeat the command with --signer %s",
			signed, before, signed.Key)
	}
	return signed, nil
}

// unsigned returns an error if a version without a signature that counts is refused. err is what the verification found.
func (o Options) unsigned(policy signature.Policy, before *Signed, err error) error {
	var rejected *signature.RejectedError
	missing := errors.As(err, &rejected) && (errors.Is(err, signature.ErrUnsigned) || errors.Is(err, signature.ErrOtherKind) || errors.Is(err, signature.ErrUnknownKey))
	switch {
	case policy.Rule == signature.Required:
		err = fmt.Errorf("%w; plugins.signed requires a signature of an allowed signer", err)
	case !missing:
	case before == nil || o.Accept.Signer == AcceptUnsigned:
		return nil
	default:
		err = fmt.Errorf("%w; the installed version was signed by %s; to accept it all the same, repeat the command with --signer %s", err, before, AcceptUnsigned)
	}
	err = fmt.Errorf("%w; expected one of: %s", err, cmp.Or(strings.Join(signature.Keys(policy.Allowed, 10), ", "), "no key (there is no list of allowed signers)"))
	if errors.Is(err, signature.ErrUnknownKey) {
		err = fmt.Errorf("%w; if you trust the key, add this line to config/allowed_signers of your home: NAME %s", err, rejected.Public)
	}
	return err
}

// moved returns an error if a signed version is to be replaced by one that is not its successor.
func (o Options) moved(policy signature.Policy, before *Signed, d Updated, c clone) error {
	if d.From == d.To || o.Accept.Rewritten || before == nil && policy.Rule != signature.Required {
		return nil
	}
	const accept = "; to accept it, repeat the command with --rewritten"
	switch {
	case !c.tag.IsZero() && d.sameRef:
		return fmt.Errorf("the tag %s has moved from commit %s to %s, which a tag of a signed version does not%s", c.tagName, d.From, d.To, accept)
	case d.Rewritten:
		return fmt.Errorf("the installed commit %s is not part of the history of %s: the history was rewritten%s", d.From, d.To, accept)
	}
	return nil
}

// policy returns what holds for a source.
func (o Options) policy(p Place, url string) signature.Policy {
	if o.Signing == nil {
		return signature.Policy{Rule: signature.Off}
	}
	return o.Signing(p.Home, url)
}

// verifySigned returns an error if an installed version may not be loaded, because its signer was removed, its key did not count when it was
// installed, or the rule has become stricter.
func (e locked) verifySigned(policy signature.Policy) error {
	switch {
	case policy.Rule == signature.Off || e.URL == "":
		return nil
	case e.Signed == nil && policy.Rule == signature.Required:
		return fmt.Errorf("it was installed from %s without a verified signature, and plugins.signed requires one; `aura plugins update` verifies the newest version", e.URL)
	case e.Signed == nil:
		return nil
	}
	if policy.Rule == signature.Required && e.altered() {
		return fmt.Errorf("its files are not those that %s signed, and plugins.signed requires a signature; `aura plugins update` installs them again", e.Signed.Signer)
	}
	err := signature.Counts(policy.Allowed, signature.Verified{Signer: e.Signed.Signer, Key: e.Signed.Key}, e.Signed.VerifiedAt)
	if err != nil {
		return fmt.Errorf("it is signed by %s: %w; allow the key again, or remove the plugin", e.Signed, err)
	}
	return nil
}

// altered reports whether the user accepted files that are not those of the installed version. To disable a plugin is no such change.
func (e locked) altered() bool {
	if e.Installed == nil {
		return false
	}
	d := compare(e.Installed, e.Files)
	return !e.Disabled || len(d.Added)+len(d.Removed) > 0 || !slices.Equal(d.Changed, []string{manifest.FileName})
}
