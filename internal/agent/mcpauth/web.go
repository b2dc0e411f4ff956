package mcpauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/plaintext"
)

const (
	// patience is how long an authorization server may take to answer a request.
	patience = 30 * time.Second
	// maxAnswer is how much of its answer is read, in bytes.
	maxAnswer = 1 << 20
)

// newClient returns a client that follows no redirect: a code, a token or a secret goes where the metadata says, and nowhere else.
func newClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("it redirects to %s://%s, which aura does not follow", r.URL.Scheme, r.URL.Host)
	}}
}

// checkAddress refuses an address to which secrets must not be sent: HTTPS is required, except on this machine.
func checkAddress(what, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("its %s is not an address", what)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return fmt.Errorf("its %s %s://%s is not HTTPS", what, u.Scheme, u.Host)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// statusError is an answer that is not a success.
type statusError struct {
	status int
	// code and text are the error of OAuth, if the answer has one.
	code, text string
}

func (e *statusError) Error() string {
	out := fmt.Sprintf("it answers %d %s", e.status, http.StatusText(e.status))
	if e.code != "" {
		out += ": " + strings.TrimSuffix(plaintext.Line(e.code)+": "+plaintext.Line(e.text), ": ")
	}
	return out
}

// do makes a request and decodes the answer.
func do(c *http.Client, req *http.Request, into any) error {
	req.Header.Set("Accept", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(data) > maxAnswer {
		return errors.New("its answer is too long")
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		failed := &statusError{status: resp.StatusCode}
		var body struct {
			Error string `json:"error"`
			Text  string `json:"error_description"`
		}
		if json.Unmarshal(data, &body) == nil {
			failed.code, failed.text = body.Error, body.Text
		}
		return failed
	}
	if err := json.Unmarshal(data, into); err != nil {
		return errors.New("its answer is not the JSON that is expected")
	}
	return nil
}

// get requests a document.
func get(ctx context.Context, c *http.Client, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	return do(c, req, into)
}
