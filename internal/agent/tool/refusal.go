package tool

import "errors"

// Refuser is who can refuse a tool call.
type Refuser string

// The refusers.
const (
	ByPlugin  Refuser = "plugin"
	ByHook    Refuser = "hook"
	ByPolicy  Refuser = "policy"
	ByUser    Refuser = "user"
	BySandbox Refuser = "sandbox"
	// BySeen is the rule that a file must have been read before it is changed.
	BySeen Refuser = "seen-file rule"
)

// RefusedError is the error of a call that somebody refused. Its text is that of Err.
type RefusedError struct {
	By Refuser
	// Name is the name of the plugin or the hook, or the rule of the policy; empty if there is none.
	Name string
	Err  error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

func (e *RefusedError) Unwrap() error { return e.Err }

// Refused returns err as a refusal, unless it is nil or a refusal already.
func Refused(by Refuser, name string, err error) error {
	if _, ok := errors.AsType[*RefusedError](err); ok || err == nil {
		return err
	}
	return &RefusedError{By: by, Name: name, Err: err}
}

// RefusedBy returns who refused a call, such as "hook lint"; empty if nobody did.
func RefusedBy(err error) string {
	e, ok := errors.AsType[*RefusedError](err)
	switch {
	case !ok:
		return ""
	case e.Name == "":
		return string(e.By)
	default:
		return string(e.By) + " " + e.Name
	}
}
