package acp

import (
	"context"
	"errors"
	"fmt"
)

// The error codes of JSON-RPC and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeCancelled      = -32800
	codeAuthRequired   = -32000
	codeNotFound       = -32002
)

// Error is an error of the protocol.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

func failure(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error for something that does not exist.
func NotFound(format string, args ...any) error { return failure(codeNotFound, format, args...) }

// NeedsLogin returns the error for a session that cannot begin because the user has set up no model.
func NeedsLogin(err error) error { return failure(codeAuthRequired, "%s", err) }

// protocolError returns an error as the client receives it. An error without a code is internal.
func protocolError(err error) *Error {
	var coded *Error
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.Is(err, context.Canceled), errors.Is(err, errCancelled), errors.Is(err, errGone):
		return failure(codeCancelled, "the request was cancelled")
	default:
		return failure(codeInternal, "%s", err)
	}
}

var (
	// errCancelled is the cause of a turn that the client cancelled.
	errCancelled = errors.New("cancelled by the client")
	// errGone is the cause of what ends because the client is gone.
	errGone = errors.New("the client is gone")
	// errClosed is the cause of what ends because the client closed the session.
	errClosed = errors.New("the session was closed")
)
