package install

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

type kind int

const (
	// kindLocal is a directory that is copied.
	kindLocal kind = iota
	// kindFile is a git repository on this machine, named by a file:// URL.
	kindFile
	kindHTTP
	kindSSH
)

// source is the address that plugins come from, as the user named it.
type source struct {
	kind kind
	// url is recorded and shown. It holds no secret.
	url string
	// dir is the absolute directory of a local source or of a file:// URL.
	dir string

	protocol, user, host string
	// port is 0 for the protocol's default port.
	port int
	path string
}

var (
	helper = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9+.-]*::`) })
	// secretUser matches a user name that is a token in the format of one of the large hosts.
	secretUser = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:gh[opsur]_|github_pat_|gl(?:pat|dt|rt|ptt|cbt)-|[0-9A-Fa-f]{40}$)`)
	})
	// shorthand matches a repository of GitHub as OWNER/NAME.
	shorthand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`) })
	drive     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:[\\/]`) })
	scheme    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:file|https?|ssh):`) })
	scp       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:([^@/:]+)@)?([^@/:]+|\[[^\]/]+\]):(.+)$`) })
)

// parseSource parses the source that the user named. A relative path is resolved against workdir. It refuses text that git or
// ssh could interpret as anything other than an address.
func parseSource(text, workdir string) (source, error) {
	switch {
	case text == "":
		return source{}, errors.New("the source is empty: name a URL or a directory")
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return source{}, fmt.Errorf("%q contains characters that cannot be printed", text)
	case strings.HasPrefix(text, "-"):
		return source{}, fmt.Errorf("%q looks like an option, not like a URL or a directory; write ./%s for a directory of that name", text, text)
	case helper().MatchString(text):
		return source{}, fmt.Errorf("%q asks git to run a helper program; only https, ssh and file URLs and directories can be added", text)
	case strings.Contains(text, "://"):
		return parseURL(text)
	case scheme().MatchString(text):
		return source{}, fmt.Errorf("%q is no URL: after the colon there are two slashes, and three for a file: file:///PATH", text)
	case !drive().MatchString(text) && scp().MatchString(text):
		return parseSCP(text)
	}
	dir := filepath.FromSlash(text)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(workdir, dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return source{}, fmt.Errorf("finding %s: %w", text, err)
	}
	return source{kind: kindLocal, url: dir, dir: dir, path: filepath.ToSlash(dir)}, nil
}

func parseURL(text string) (source, error) {
	u, err := url.Parse(text)
	if err != nil {
		// The parser's message repeats the URL, which may hold a password.
		return source{}, errors.New("the URL cannot be read: write it as https://HOST/PATH, ssh://USER@HOST/PATH or file:///PATH")
	}
	if _, secret := u.User.Password(); secret {
		return source{}, fmt.Errorf("the URL of %s holds a password, which would be stored and shown; leave it out and set GIT_TOKEN, or store it in git's credential helper", u.Host)
	}
	if secretUser().MatchString(u.User.Username()) {
		return source{}, fmt.Errorf("the URL of %s holds a token, which would be stored and shown; leave it out and set GIT_TOKEN, or store it in git's credential helper", u.Host)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return source{}, fmt.Errorf("%s has a query or a fragment; name a branch, tag or commit with --ref", u.Redacted())
	}
	s := source{protocol: strings.ToLower(u.Scheme), user: u.User.Username(), host: u.Hostname(), path: u.Path}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil {
			return source{}, fmt.Errorf("%s: %q is not a port", u.Redacted(), p)
		}
	}
	switch s.protocol {
	case "https":
		s.kind = kindHTTP
	case "http":
		s.kind = kindHTTP
		if !s.loopback() {
			return source{}, fmt.Errorf("%s: data sent over plain http can be changed in transit; use https", u.Redacted())
		}
	case "ssh", "git+ssh", "ssh+git":
		s.kind, s.protocol = kindSSH, "ssh"
	case "file":
		return parseFile(u)
	default:
		return source{}, fmt.Errorf("%s: %q is not supported; use https, ssh or file", u.Redacted(), u.Scheme)
	}
	u.Scheme = s.protocol
	s.url = u.String()
	return s, s.check()
}

func parseFile(u *url.URL) (source, error) {
	if u.Host != "" && u.Host != "localhost" {
		return source{}, fmt.Errorf("%s: a file URL has three slashes: file:///PATH", u.Redacted())
	}
	name := u.Path
	if drive().MatchString(strings.TrimPrefix(name, "/")) {
		name = strings.TrimPrefix(name, "/")
	}
	dir := filepath.FromSlash(name)
	if !filepath.IsAbs(dir) {
		return source{}, fmt.Errorf("%s: a file URL holds an absolute path", u.Redacted())
	}
	return source{kind: kindFile, protocol: "file", url: u.String(), dir: filepath.Clean(dir), path: u.Path}, nil
}

func parseSCP(text string) (source, error) {
	m := scp().FindStringSubmatch(text)
	s := source{kind: kindSSH, protocol: "ssh", url: text, user: m[1], host: strings.Trim(m[2], "[]"), path: m[3]}
	return s, s.check()
}

// check refuses parts that a program could interpret as options.
func (s source) check() error {
	if s.host == "" {
		return fmt.Errorf("%s names no host", s.url)
	}
	for what, part := range map[string]string{"user": s.user, "host": s.host, "path": s.path} {
		if strings.HasPrefix(strings.TrimLeft(part, "/"), "-") {
			return fmt.Errorf("%s: the %s begins with a hyphen, so that it looks like an option", s.url, what)
		}
	}
	if strings.Trim(s.path, "/") == "" {
		return fmt.Errorf("%s names no repository", s.url)
	}
	return nil
}

// loopback reports whether the host is this machine.
func (s source) loopback() bool {
	if s.host == "localhost" || strings.HasSuffix(s.host, ".localhost") {
		return true
	}
	ip := net.ParseIP(s.host)
	return ip != nil && ip.IsLoopback()
}

// address returns the host, with its port if that is not the protocol's default port.
func (s source) address() string {
	if s.port == 0 {
		return s.host
	}
	return net.JoinHostPort(s.host, strconv.Itoa(s.port))
}

const (
	gitSuffix       = ".git"
	namePrefix      = "aura-plugin-"
	extensionPrefix = "aar-ext-"
)

// name returns the default name of the plugin or pack.
func (s source) name() string {
	whole := strings.TrimRight(s.path, "/")
	base := path.Base(whole)
	if base == gitSuffix {
		base = path.Base(path.Dir(whole)) // for .git, use the name of its parent directory
	}
	if s.isFile() {
		base = strings.TrimSuffix(base, pythonFile)
	}
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(base, gitSuffix), namePrefix), extensionPrefix)
}

// isFile reports whether the source is a Python file on this machine.
func (s source) isFile() bool {
	if s.kind != kindLocal || !strings.HasSuffix(s.dir, pythonFile) {
		return false
	}
	info, err := os.Stat(s.dir)
	return err == nil && info.Mode().IsRegular()
}

// checkName returns an error if a plugin cannot be installed under the name.
func checkName(name string) error {
	if err := manifest.CheckName(name); err != nil {
		return err
	}
	if name == vendorDir || drive().MatchString(name+"/") || strings.HasPrefix(name, "-") {
		return fmt.Errorf("%q cannot be the name of a plugin", name)
	}
	return nil
}

const vendorDir = "vendor"

// checkSubpath checks and cleans the path of a directory within a source.
func checkSubpath(sub string) (string, error) {
	slashed := path.Clean(strings.ReplaceAll(sub, `\`, "/"))
	if sub == "" || path.IsAbs(slashed) || !filepath.IsLocal(filepath.FromSlash(slashed)) {
		return "", fmt.Errorf("subpath %q is not a directory within the source", sub)
	}
	for part := range strings.SplitSeq(slashed, "/") {
		if part != "." && strings.HasPrefix(part, ".") || part == vendorDir {
			return "", fmt.Errorf("subpath %q: plugins are not looked for in %s", sub, part)
		}
	}
	return slashed, nil
}
