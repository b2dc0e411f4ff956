//go:build !unix

package install

import (
	"context"

	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

// agent returns the keys of the ssh agent. The connection stays open until aura exits.
func (o Options) agent(context.Context) ([]ssh.Signer, func() error, error) {
	auth, err := gitssh.NewSSHAgentAuth(defaultUser)
	if err != nil {
		return nil, nil, err
	}
	signers, err := auth.Callback()
	return signers, func() error { return nil }, err
}
