package fleet

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
)

// CheckPrompt returns an error if a text cannot be a prompt of a task.
func CheckPrompt(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("it is empty")
	case len(text) > MaxPrompt:
		return fmt.Errorf("it has %d bytes; %d is the limit: put the text into a file of the workspace", len(text), MaxPrompt)
	case strings.HasPrefix(text, "/"):
		return errors.New("it is a slash command; tasks take prompts only")
	case text == "-":
		return errors.New("it is -, which means standard input, and a task has none")
	case strings.ContainsRune(text, 0):
		return errors.New("it contains a zero byte")
	}
	return nil
}

// CheckGlob returns an error if a pattern cannot select files of a workspace.
func CheckGlob(pattern string) error {
	switch {
	case pattern == "" || !doublestar.ValidatePattern(pattern):
		return fmt.Errorf("%q is not a pattern of files", pattern)
	case !filepath.IsLocal(filepath.FromSlash(pattern)) || path.IsAbs(pattern):
		return fmt.Errorf("%q leads out of the workspace", pattern)
	}
	return nil
}

var (
	scp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*:[^-:][^:]*$`)
	})
	ref    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+-]{0,254}$`) })
	digest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
	commit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$|^[0-9a-f]{64}$`) })
)

// IsCommit reports whether a text is the whole name of a commit.
func IsCommit(text string) bool { return commit().MatchString(text) }

// IsSHA256 reports whether a text is a SHA-256 in hexadecimal.
func IsSHA256(text string) bool { return digest().MatchString(text) }

// Local reports whether the repository is on the worker's own disk.
func (w Workspace) Local() bool { return strings.HasPrefix(w.Git, "file:") }

// Check returns an error if git or a file system could take the workspace for something else.
func (w Workspace) Check() error {
	switch {
	case w.Git != "" && w.Archive != "":
		return errors.New("the workspace is both a repository and a directory: choose one")
	case w.Git == "" && w.Ref != "":
		return errors.New("the workspace has a ref, but no git URL")
	case w.Archive != "" && !IsSHA256(w.Archive):
		return fmt.Errorf("%q is not the hash of a packed directory", w.Archive)
	case w.Git == "":
		return nil
	case w.Ref != "" && (!ref().MatchString(w.Ref) || strings.Contains(w.Ref, "..")):
		return fmt.Errorf("%q is not a branch, a tag or a commit", w.Ref)
	}
	return checkURL(w.Git)
}

func checkURL(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }) {
		return fmt.Errorf("%q contains characters that no git URL has", text)
	}
	if scp().MatchString(text) {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		// The parser's message repeats the URL, which may hold a password.
		return errors.New("the git URL cannot be read: write https://HOST/PATH, ssh://USER@HOST/PATH or file:///PATH")
	}
	if _, secret := u.User.Password(); secret {
		return fmt.Errorf("the URL of %s holds a password, which would travel through the queue: leave it out, and give the worker's git the credentials", u.Host)
	}
	if strings.HasPrefix(u.Host, "-") || strings.HasPrefix(strings.TrimLeft(u.Path, "/"), "-") || strings.Trim(u.Path, "/") == "" {
		return fmt.Errorf("%s names no repository", u.Redacted())
	}
	switch u.Scheme {
	case "https", "ssh":
		if u.Host == "" {
			return fmt.Errorf("%s names no host", u.Redacted())
		}
	case "http":
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("%s: plain http can be changed in transit: use https", u.Redacted())
		}
	case "file":
		if u.Host != "" {
			return fmt.Errorf("%s: a file URL has three slashes: file:///PATH", u.Redacted())
		}
	default:
		return fmt.Errorf("%s: use https, ssh or file", u.Redacted())
	}
	return nil
}
