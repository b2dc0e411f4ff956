package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5"
	gitconfig "github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/supply/signature"
)

// SignRequest describes the tag that Sign makes.
type SignRequest struct {
	// Dir is a directory in the repository.
	Dir string
	Tag string
	// Key is a file with a private or a public key, or a fingerprint; empty for user.signingKey of the user's git, or else the first key of the
	// agent and of ~/.ssh.
	Key string
	// Message is empty for the name of the tag.
	Message string
}

// SignedTag describes a tag that Sign made.
type SignedTag struct {
	Tag    string `json:"tag"`
	Commit string `json:"commit"`
	// Subject is the first line of the commit's message.
	Subject string `json:"subject"`
	Tagger  string `json:"tagger"`
	// Key is the fingerprint of the key, and Public the key as a list of allowed signers names it.
	Key    string `json:"key"`
	Public string `json:"public_key"`
}

// Sign makes an annotated tag of the current commit, signed with an SSH key as git does.
func Sign(ctx context.Context, r SignRequest, o Options) (SignedTag, error) {
	done, err := sign(ctx, r, o)
	if err != nil {
		return SignedTag{}, fmt.Errorf("signing the tag %s: %w", r.Tag, err)
	}
	return done, nil
}

func sign(ctx context.Context, r SignRequest, o Options) (SignedTag, error) {
	ref := plumbing.NewTagReferenceName(r.Tag)
	if err := ref.Validate(); err != nil || strings.HasPrefix(r.Tag, "-") {
		return SignedTag{}, errors.New("this is no name of a tag")
	}
	repo, err := git.PlainOpenWithOptions(r.Dir, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if err != nil {
		return SignedTag{}, fmt.Errorf("opening the repository of %s: %w", r.Dir, err)
	}
	if err := noLinks(r.Dir); err != nil {
		return SignedTag{}, err
	}
	if _, err := repo.Reference(ref, false); err == nil {
		return SignedTag{}, fmt.Errorf("the tag exists already, and a signed tag must not move: take another name, or remove it with `git tag -d %s`", word(r.Tag))
	}
	head, err := repo.Head()
	if err != nil {
		return SignedTag{}, fmt.Errorf("there is no commit to sign: %w", err)
	}
	commit, err := repo.CommitObject(head.Hash())
	if err != nil {
		return SignedTag{}, fmt.Errorf("reading the commit %s: %w", head.Hash(), err)
	}
	tagger, err := o.tagger(repo)
	if err != nil {
		return SignedTag{}, err
	}
	keys := o.keys(ctx)
	defer keys.close()
	key, err := o.signingKey(keys, r.Key)
	if err != nil {
		return SignedTag{}, err
	}
	if r.Message == "" {
		r.Message = r.Tag
	}
	text := signature.TagText{Commit: commit.Hash.String(), Name: r.Tag, Tagger: tagger, When: o.now().Local(), Message: r.Message}
	raw, err := text.Sign(key)
	if err != nil {
		return SignedTag{}, err
	}
	object := repo.Storer.NewEncodedObject()
	object.SetType(plumbing.TagObject)
	w, err := object.Writer()
	if err == nil {
		_, err = w.Write(raw)
		err = errors.Join(err, w.Close())
	}
	var hash plumbing.Hash
	if err == nil {
		hash, err = repo.Storer.SetEncodedObject(object)
	}
	if err == nil {
		err = repo.Storer.SetReference(plumbing.NewHashReference(ref, hash))
	}
	if err != nil {
		return SignedTag{}, fmt.Errorf("writing the tag: %w", err)
	}
	subject, _, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	return SignedTag{
		Tag: r.Tag, Commit: commit.Hash.String(), Subject: subject, Tagger: tagger, Key: ssh.FingerprintSHA256(key.PublicKey()),
		Public: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))),
	}, nil
}

// noLinks returns an error if a tag in the repository would be written through a link. Confined code can write such links into a repository
// inside the working directory.
func noLinks(dir string) error {
	for ; ; dir = filepath.Dir(dir) {
		at := filepath.Join(dir, git.GitDirName)
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			if dir == filepath.Dir(dir) {
				return nil // the directory of a linked work tree is elsewhere
			}
			continue
		}
		for _, name := range []string{".", "refs", filepath.Join("refs", "tags"), "objects"} {
			if info, err := os.Lstat(filepath.Join(at, name)); err == nil && info.Mode()&os.ModeSymlink != 0 {
				return fmt.Errorf("%s is a link, through which nothing is written", filepath.Join(at, name))
			}
		}
		return nil
	}
}

// tagger returns who makes the tag, as git would.
func (o Options) tagger(repo *git.Repository) (string, error) {
	name, address := o.variable("GIT_COMMITTER_NAME"), o.variable("GIT_COMMITTER_EMAIL")
	if c, err := repo.ConfigScoped(gitconfig.SystemScope); err == nil {
		for _, from := range []struct{ to, of *string }{{&name, &c.Committer.Name}, {&name, &c.User.Name}, {&address, &c.Committer.Email}, {&address, &c.User.Email}} {
			if *from.to == "" {
				*from.to = *from.of
			}
		}
	}
	if name == "" || address == "" {
		return "", errors.New("git does not know who you are: run `git config --global user.name NAME` and `git config --global user.email ADDRESS`")
	}
	if strings.ContainsAny(name+address, "<>\n\x00") {
		return "", fmt.Errorf("the name or the address in the settings of git has <, > or a new line: %q, %q", name, address)
	}
	return name + " <" + address + ">", nil
}

// signingKey returns the key that was asked for. The settings of the repository do not choose it: confined code may have written them.
func (o Options) signingKey(k *keyring, asked string) (ssh.Signer, error) {
	if c, err := gitconfig.LoadConfig(gitconfig.GlobalScope); err == nil && asked == "" {
		asked = strings.TrimPrefix(c.Raw.Section("user").Option("signingkey"), "key::")
	}
	if asked == "" {
		if len(k.signers) == 0 {
			return nil, fmt.Errorf("there is no key; tried %s; make one with `ssh-keygen -t ed25519`, or name one with --key", join(k.names))
		}
		return k.signers[0], nil
	}
	match := func(text string) bool { return text == asked }
	if public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(asked)); err == nil {
		match = samePublic(public)
	} else if !strings.HasPrefix(asked, "SHA256:") {
		if rest, ok := strings.CutPrefix(asked, "~/"); ok {
			asked = filepath.Join(o.UserHome, rest)
		} else if !filepath.IsAbs(asked) {
			asked = filepath.Join(o.Workdir, asked)
		}
		text, err := files.Read(asked, maxKey)
		if err != nil {
			return nil, fmt.Errorf("reading the key: %w", err)
		}
		signer, err := ssh.ParsePrivateKey(text)
		if err == nil {
			return signer, nil
		}
		missing, locked := errors.AsType[*ssh.PassphraseMissingError](err)
		public, _, _, _, err := ssh.ParseAuthorizedKey(text)
		switch {
		case locked && missing.PublicKey != nil:
			public = missing.PublicKey
		case locked:
			return nil, fmt.Errorf("the key in %s needs a passphrase: add it to the agent with ssh-add, and name %s.pub", asked, asked)
		case err != nil:
			return nil, fmt.Errorf("%s is neither a private nor a public key of SSH", asked)
		}
		match = samePublic(public)
	}
	for _, signer := range k.signers {
		if match(ssh.FingerprintSHA256(signer.PublicKey())) {
			return signer, nil
		}
	}
	return nil, fmt.Errorf("no private key for %s was found; tried %s; add it to the agent with ssh-add", asked, join(k.names))
}

// samePublic returns a function that compares fingerprints with that of a key.
func samePublic(key ssh.PublicKey) func(string) bool {
	want := ssh.FingerprintSHA256(key)
	return func(text string) bool { return text == want }
}
