package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/idelchi/aura/internal/base/files"
)

// keyFiles are the names of key files, in the order in which they are tried after the agent's keys.
var keyFiles = []string{"id_ed25519", "id_rsa", "id_ecdsa"}

const defaultUser = "git"

// connectSSH opens a session over ssh. The server must be a known host.
func connectSSH(ctx context.Context, s source, o Options, p *peer) (transport.UploadPackSession, *packp.AdvRefs, error) {
	keys := o.keys(ctx)
	defer keys.close()
	auth, err := o.sshAuth(s, keys)
	if err != nil {
		return nil, nil, err
	}
	type result struct {
		session transport.UploadPackSession
		err     error
	}
	done := make(chan result, 1)
	// The connection attempt cannot be cancelled, but it ends at its timeout.
	endpoint := s.endpoint()
	var release func()
	endpoint.Proxy, release = p.throughProxy()
	go func() {
		defer release()
		session, err := gitssh.NewClient(nil).NewUploadPackSession(endpoint, auth)
		done <- result{session, err}
	}()
	var r result
	select {
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case r = <-done:
	}
	if r.err != nil {
		return nil, nil, explainSSH(p.explain(r.err), s, keys)
	}
	adv, err := r.session.AdvertisedReferencesContext(ctx)
	if err != nil {
		_ = r.session.Close()
		return nil, nil, explainSSH(p.explain(err), s, keys)
	}
	return r.session, adv, nil
}

// sshAuth holds the keys to log in with and the host keys to accept.
type sshAuth struct {
	gitssh.PublicKeysCallback
}

// ClientConfig implements gitssh.AuthMethod.
func (a *sshAuth) ClientConfig() (*ssh.ClientConfig, error) {
	c, err := a.PublicKeysCallback.ClientConfig()
	if err == nil {
		c.Timeout = dialTimeout
	}
	return c, err
}

func (o Options) sshAuth(s source, k *keyring) (*sshAuth, error) {
	lists := filepath.SplitList(o.variable("SSH_KNOWN_HOSTS"))
	if len(lists) == 0 {
		lists = []string{filepath.Join(o.UserHome, ".ssh", "known_hosts"), "/etc/ssh/ssh_known_hosts"}
	}
	if err := checkReadable(lists); err != nil {
		return nil, fmt.Errorf("checking the host key of %s: %w", s.host, err)
	}
	db, err := gitssh.NewKnownHostsDb(lists...)
	if err != nil {
		return nil, fmt.Errorf("the host key of %s cannot be checked: there is no %s; connect once with `ssh %s` and look at the key", s.host, lists[0], s.login())
	}
	address := s.server()
	a := &sshAuth{gitssh.PublicKeysCallback{
		User:     cmp.Or(s.user, defaultUser),
		Callback: func() ([]ssh.Signer, error) { return k.signers, nil },
	}}
	a.HostKeyCallback, a.HostKeyAlgorithms = db.HostKeyCallback(), db.HostKeyAlgorithms(address)
	return a, nil
}

// maxKey is the largest key file and maxHosts the largest file of known hosts, both in bytes.
const (
	maxKey   = 1 << 20
	maxHosts = 64 << 20
)

// checkReadable returns an error for files of known hosts that would block the library or never end. The library handles files
// that do not exist.
func checkReadable(lists []string) error {
	for _, list := range lists {
		f, err := files.Open(list)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.Size() > maxHosts {
			err = fmt.Errorf("%s: %w", list, &files.TooLargeError{Limit: maxHosts})
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// keyring holds the keys to log in with: first the agent's keys, then the keys in files.
type keyring struct {
	signers []ssh.Signer
	// names says for each source of keys where the keys came from, or why they could not be used.
	names []string
	agent func() error
}

func (k *keyring) close() {
	if k.agent != nil {
		_ = k.agent()
	}
}

func (o Options) keys(ctx context.Context) *keyring {
	k := &keyring{}
	agent, closer, err := o.agent(ctx)
	if err == nil {
		k.agent = closer
		k.signers = append(k.signers, agent...)
		k.names = append(k.names, fmt.Sprintf("the agent (keys: %d)", len(agent)))
	}
	for _, name := range keyFiles {
		file := filepath.Join(o.UserHome, ".ssh", name)
		text, err := files.Read(file, maxKey)
		if err != nil {
			continue
		}
		signer, err := ssh.ParsePrivateKey(text)
		if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked {
			k.names = append(k.names, file+" (needs a passphrase: add it to the agent with ssh-add)")
			continue
		}
		if err != nil {
			k.names = append(k.names, file+" (cannot be read)")
			continue
		}
		k.signers = append(k.signers, signer)
		k.names = append(k.names, file)
	}
	return k
}

// server returns the host with its port.
func (s source) server() string {
	return net.JoinHostPort(s.host, strconv.Itoa(cmp.Or(s.port, gitssh.DefaultPort)))
}

// login returns the arguments with which ssh connects to the same server.
func (s source) login() string {
	host := cmp.Or(s.user, defaultUser) + "@" + s.host
	if port := cmp.Or(s.port, gitssh.DefaultPort); port != gitssh.DefaultPort {
		return fmt.Sprintf("-p %d %s", port, host)
	}
	return host
}

// explainSSH adds advice to a failure.
func explainSSH(err error, s source, k *keyring) error {
	key, isKey := errors.AsType[*knownhosts.KeyError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case isKey && len(key.Want) == 0:
		return fmt.Errorf("the host key of %s is not known; connect once with `ssh %s` and look at the key", s.host, s.login())
	case isKey:
		return fmt.Errorf("the host key of %s has changed; someone may be listening in. If the change is known to you, remove the old key with `ssh-keygen -R %s`", s.host, word(knownhosts.Normalize(s.server())))
	case isOp && op.Op == "dial":
		return fmt.Errorf("the host cannot be reached: %w", op.Err)
	case strings.Contains(err.Error(), "unable to authenticate"):
		tried := "no key, because there is none"
		if len(k.names) > 0 {
			tried = strings.Join(k.names, ", ")
		}
		return fmt.Errorf("access is denied; tried %s; add a key to the agent, or put one into ~/.ssh (%s)", tried, strings.Join(keyFiles, ", "))
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return errEmpty
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return errors.New("there is no such repository, or it is private")
	}
	return err
}
