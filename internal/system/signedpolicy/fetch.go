package signedpolicy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/idelchi/aura/internal/base/build"
)

// fetch gets what an address serves, in a limited time. It follows no redirect: the policy names one address.
func (o Options) fetch(ctx context.Context, address string, wait time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("no answer within %s", wait))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "aura/"+build.Version)
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	if o.Client != nil {
		client = *o.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("fetching it: %w", because(ctx, err))
	}
	defer func() { _ = answer.Body.Close() }()
	if to := answer.Header.Get("Location"); answer.StatusCode >= http.StatusMultipleChoices && answer.StatusCode < http.StatusBadRequest && to != "" {
		return nil, fmt.Errorf("fetching it: the address redirects to %.300q, which is not followed; the administrator can write that address into the policy", to)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetching it: the server answered %s", answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("fetching it: %w", because(ctx, err))
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("fetching it: it has more than the limit of %d bytes", MaxSize)
	}
	return text, nil
}

// because returns why a context ended, if that is the cause of an error.
func because(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
