package install

import (
	"bufio"
	"bytes"
	"context"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/idelchi/aura/internal/system/gitcmd"
)

// credential is one way to authenticate over HTTP. The name may be shown; the secret must never be shown.
type credential struct {
	name, user, secret string
}

func (c credential) auth() transport.AuthMethod {
	if c.secret == "" {
		return nil
	}
	return &githttp.BasicAuth{Username: c.user, Password: c.secret}
}

// variable is an environment variable that may hold a secret for some hosts.
type variable struct {
	name string
	// user is the user name that the hosts expect with a token.
	user string
	// domains are the hosts that the secret is for, including their subdomains; nil means every host.
	domains []string
	// hosts are variables that name further hosts that the secret is for, as a host or as a URL.
	hosts []string
}

// tokens lists the variables in the order in which they are tried.
var tokens = []variable{
	{"GITLAB_TOKEN", "oauth2", []string{"gitlab.com"}, []string{"GITLAB_HOST", "CI_SERVER_HOST"}},
	{"GITHUB_TOKEN", "x-access-token", []string{"github.com", "ghe.com"}, []string{"GITHUB_SERVER_URL", "GH_HOST"}},
	{"GIT_TOKEN", "x-access-token", nil, nil},
}

// belongs reports whether the token may be sent to the host of a source.
func (t variable) belongs(s source, o Options) bool {
	host := strings.ToLower(strings.TrimSuffix(s.host, "."))
	if t.domains == nil {
		return true
	}
	if slices.ContainsFunc(t.domains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) }) {
		return true
	}
	return slices.ContainsFunc(t.hosts, func(name string) bool { return sameHost(o.variable(name), s) })
}

// sameHost compares the host and, if value names one, the port.
func sameHost(value string, s source) bool {
	if u, err := url.Parse(value); err == nil && u.Host != "" {
		value = u.Host
	}
	return value != "" && (strings.EqualFold(value, s.host) && s.port == 0 || strings.EqualFold(value, s.address()))
}

// variable returns the value of an environment variable, or "" if it is not set.
func (o Options) variable(name string) string {
	for _, entry := range o.Environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// credentials returns the ways to authenticate, in order. The last one runs git, and only if all others failed.
func (o Options) credentials(ctx context.Context, s source) iter.Seq[credential] {
	return func(yield func(credential) bool) {
		if !yield(credential{name: "no authentication"}) {
			return
		}
		for _, t := range tokens {
			secret := strings.TrimSpace(o.variable(t.name))
			if secret == "" || !t.belongs(s, o) {
				continue
			}
			user := t.user
			if s.user != "" {
				user = s.user
			}
			if !yield(credential{t.name, user, secret}) {
				return
			}
		}
		if c, ok := o.fill(ctx, s); ok {
			yield(c)
		}
	}
}

// fillTimeout limits how long the credential helpers may take.
const fillTimeout = 30 * time.Second

// fill asks git's credential helpers. The helpers cannot prompt the user: only stored credentials are used.
func (o Options) fill(ctx context.Context, s source) (credential, bool) {
	ctx, cancel := context.WithTimeout(ctx, fillTimeout)
	defer cancel()
	path, err := o.program("git")
	if err != nil {
		return credential{}, false
	}
	request := "protocol=" + s.protocol + "\nhost=" + s.address() + "\npath=" + strings.TrimPrefix(s.path, "/") + "\n"
	if s.user != "" {
		request += "username=" + s.user + "\n"
	}
	var out bytes.Buffer
	err = gitcmd.Run(ctx, gitcmd.Job{
		Program: path, Args: []string{"credential", "fill"}, Settings: gitcmd.CredentialSettings, Environ: o.environ(tokenNames()...),
		Stdin: strings.NewReader(request + "\n"), Stdout: &out, Linger: helperLinger, Mark: helperMark,
	})
	if err != nil {
		return credential{}, false
	}
	c := credential{name: "git credential fill"}
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		switch key, value, _ := strings.Cut(lines.Text(), "="); key {
		case "username":
			c.user = value
		case "password":
			c.secret = value
		}
	}
	return c, c.secret != ""
}

func tokenNames() []string {
	var names []string
	for _, t := range tokens {
		names = append(names, t.name)
	}
	return names
}
