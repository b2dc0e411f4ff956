// Package rest is the client of services that are asked in JSON and answer in JSON or with a stream of events.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/internal/agent/llm/transport"
	"github.com/idelchi/aura/internal/base/limit"
)

// Client sends requests to one service. It is safe for concurrent use.
type Client struct {
	// HTTP sends the requests. It is a client of the package transport, which limits and classifies the answers.
	HTTP *http.Client
	// Header is part of every request.
	Header http.Header
	// Secrets never appear in an error.
	Secrets []string
}

// JSON makes a request and decodes the answer into the value that into points to. A nil send means that the request has no body.
func (c Client) JSON(ctx context.Context, method, address string, send, into any) error {
	inner, call := transport.Plain(ctx)
	return call.Err(ctx, c.json(inner, method, address, send, into))
}

func (c Client) json(ctx context.Context, method, address string, send, into any) error {
	response, err := c.do(ctx, method, address, send)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return c.failed("reading the answer", err)
	}
	return c.Redact(Decode(text, into))
}

// do returns a response whose body the caller closes. The transport turns every status but success into an error.
func (c Client) do(ctx context.Context, method, address string, send any) (*http.Response, error) {
	var body io.Reader
	if send != nil {
		text, err := json.Marshal(send)
		if err != nil {
			return nil, fmt.Errorf("writing the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		// The error would repeat the address, which may contain a password.
		return nil, errors.New("the url of the provider cannot be used: check it")
	}
	req.Header = c.Header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("User-Agent", "aura")
	if send != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	response, err := c.HTTP.Do(req)
	if err != nil {
		return nil, c.failed("sending the request", err)
	}
	return response, nil
}

// Decode decodes an answer or an event. A value of an unexpected type counts as missing, because the many servers that speak one protocol
// differ in details. The error may contain secrets.
func Decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if _, tolerable := errors.AsType[*json.UnmarshalTypeError](err); err == nil || tolerable {
		return nil
	}
	// Repeating the call may help.
	return &llm.Error{Message: "reading the answer: " + limit.Shorten(err.Error(), 1<<10), Malformed: true}
}

func (c Client) failed(doing string, err error) error {
	return errors.New(c.redact(doing + ": " + err.Error()))
}

// Redact removes the secrets from a classified error. It returns other errors unchanged.
func (c Client) Redact(err error) error {
	if failure, ok := errors.AsType[*llm.Error](err); ok {
		failure.Message = c.redact(failure.Message)
	}
	return err
}

func (c Client) redact(text string) string { return classify.Redact(text, c.Secrets...) }
