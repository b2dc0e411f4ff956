//go:build unix

package install

import (
	"context"
	"errors"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

var errNoAgent = errors.New("no agent runs")

// agent returns the keys of the ssh agent. The keys work until the returned function closes the connection.
func (o Options) agent(ctx context.Context) ([]ssh.Signer, func() error, error) {
	socket := o.variable("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, nil, errNoAgent
	}
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, nil, err
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return signers, conn.Close, nil
}
