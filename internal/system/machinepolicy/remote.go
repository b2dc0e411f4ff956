package machinepolicy

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/system/signedpolicy"
)

// complete returns the policy with the one that its address serves. A signed policy restricts together with the local files, like one more file.
func (p *Policy) complete(ctx context.Context, o signedpolicy.Options) (*Policy, error) {
	remote, ok := p.Remote()
	if !ok {
		return p, nil
	}
	o.Check = func(text []byte) error {
		_, err := p.With(remote.URL, text)
		return err
	}
	text, err := o.Newest(ctx, remote.URL, remote.Key)
	if err != nil {
		return nil, fmt.Errorf("the policy that %s names: %w", remote.Rule, err)
	}
	return p.With(remote.URL, text)
}
