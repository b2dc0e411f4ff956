// Package relay runs a program of the user on a pseudo-terminal of its own, between the program and the user's terminal. It passes everything
// on, in both directions, and keeps the end of what the program writes.
package relay

import "errors"

// ErrNone means that there is no pseudo-terminal for the program, which was not started.
var ErrNone = errors.New("there are no pseudo-terminals here")

// Program is a program of the user.
type Program struct {
	// Path is the program, and Args begins with its name.
	Path string
	Args []string
	// Dir is the working directory, and Environ the environment.
	Dir     string
	Environ []string
	// Leader is a program that calls process.Lead if its first argument is process.LeadArgument.
	Leader string
}
