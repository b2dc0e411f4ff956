package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Set holds a session's commands by name. A Set is immutable; a reload builds a new one.
type Set struct {
	byName map[string]Command
}

// Clash says that a command is hidden by another command of the same name.
type Clash struct {
	Winner, Loser Command
}

func (c Clash) String() string {
	return fmt.Sprintf("command /%s of %s is hidden by that of %s; rename it to use both", c.Loser.Name, c.Loser.from(), c.Winner.from())
}

func (c Command) from() string {
	if c.Origin == "" {
		return "aura itself"
	}
	return fmt.Sprintf("%s %q", c.Source, c.Origin)
}

// NewSet returns a set of the commands. If several commands have the same name, the one with the lower source wins; within a
// source, the first one wins. NewSet calls clash for each losing command; clash may be nil. A command whose name cannot be
// typed is omitted and causes an error, but the set is usable even then.
func NewSet(clash func(Clash), commands ...Command) (*Set, error) {
	ranked := slices.Clone(commands)
	slices.SortStableFunc(ranked, func(a, b Command) int { return cmp.Compare(a.Source, b.Source) })
	s := &Set{byName: make(map[string]Command, len(ranked))}
	var errs []error
	for _, c := range ranked {
		if !validName(c.Name) {
			errs = append(errs, fmt.Errorf("adding command %q of %s: a name consists of letters, digits, - _ : and . without the slash", c.Name, c.from()))
			continue
		}
		winner, taken := s.byName[c.Name]
		switch {
		case !taken:
			s.byName[c.Name] = c
		case clash != nil:
			clash(Clash{Winner: winner, Loser: c})
		}
	}
	return s, errors.Join(errs...)
}

// List returns the commands, sorted by name.
func (s *Set) List() []Command {
	out := make([]Command, 0, len(s.byName))
	for _, c := range s.byName {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Lookup returns the command with a name.
func (s *Set) Lookup(name string) (Command, bool) {
	c, ok := s.byName[name]
	return c, ok
}

// Run runs the command with a name. args is the text typed after the name. The error is an *UnknownError if no command has the
// name.
func (s *Set) Run(ctx context.Context, name, args string) (Result, error) {
	c, ok := s.byName[name]
	if !ok {
		return Result{}, &UnknownError{Name: name, Near: s.near(name)}
	}
	result, err := c.Run(ctx, args)
	if err != nil {
		return Result{}, fmt.Errorf("running /%s: %w", name, err)
	}
	return result, nil
}
