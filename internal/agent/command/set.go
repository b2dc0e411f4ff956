package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The owners of commands that are not a plugin's.
const (
	OwnerAura   = "aura"
	OwnerCustom = "custom"
)

// Set holds a session's commands by name. A Set is immutable; a reload builds a new one.
type Set struct {
	// byName has the commands that a user types by their plain names. hidden has the others, which are typed as OWNER:NAME.
	byName, hidden map[string]Command
}

// Clash says that a command is hidden by another command of the same name.
type Clash struct {
	Winner, Loser Command
}

func (c Clash) String() string {
	return fmt.Sprintf("command /%s of %s is hidden by that of %s; type /%s, or give it the plain name with plugins: {commands: {%s: %s}} in the settings",
		c.Loser.Name, c.Loser.from(), c.Winner.from(), c.Loser.qualified(), c.Loser.Name, c.Loser.owner())
}

// owner is the name that stands before the colon of a qualified name.
func (c Command) owner() string {
	switch c.Source {
	case SourceBuiltin:
		return OwnerAura
	case SourceMarkdown:
		return OwnerCustom
	default:
		return c.Origin
	}
}

func (c Command) qualified() string { return c.owner() + ":" + c.Name }

// Answers reports whether a user reaches the command by a name, also if other commands hide it.
func (c Command) Answers(name string) bool { return c.Name == name || c.qualified() == name }

func (c Command) from() string {
	if c.Origin == "" {
		return "aura itself"
	}
	return fmt.Sprintf("%s %q", c.Source, c.Origin)
}

// NewSet returns a set of the commands. If several commands have the same name, the one whose owner the user chose wins, and otherwise the
// one with the lower source; within a source, the first one wins. The others can be run as OWNER:NAME. NewSet calls clash for each losing
// command, unless the user chose the winner; clash may be nil. A command whose name cannot be typed is omitted and causes an error, and so
// does a choice without such a command, but the set is usable even then.
func NewSet(chosen map[string]string, clash func(Clash), commands ...Command) (*Set, error) {
	ranked := slices.Clone(commands)
	rank := func(c Command) Source {
		if c.owner() == chosen[c.Name] {
			return -1
		}
		return c.Source
	}
	slices.SortStableFunc(ranked, func(a, b Command) int { return cmp.Compare(rank(a), rank(b)) })
	s := &Set{byName: make(map[string]Command, len(ranked)), hidden: map[string]Command{}}
	var errs []error
	for _, c := range ranked {
		if !validName(c.Name) {
			errs = append(errs, fmt.Errorf("adding command %q of %s: a name consists of letters, digits, - _ : and . without the slash", c.Name, c.from()))
			continue
		}
		winner, taken := s.byName[c.Name]
		if !taken {
			s.byName[c.Name] = c
			continue
		}
		s.hide(c)
		if clash != nil && winner.owner() != chosen[c.Name] {
			clash(Clash{Winner: winner, Loser: c})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		if winner, ok := s.byName[name]; !ok || winner.owner() != chosen[name] {
			errs = append(errs, fmt.Errorf("plugins.commands in the settings gives /%s to %q, which has no such command", name, chosen[name]))
		}
	}
	return s, errors.Join(errs...)
}

// hide adds a command under its qualified name. Of two with the same one, the first wins.
func (s *Set) hide(c Command) {
	name := c.qualified()
	if _, taken := s.hidden[name]; !taken {
		c.Name = name
		s.hidden[name] = c
	}
}

// List returns the commands, sorted by name. A command that is hidden by another one has its qualified name.
func (s *Set) List() []Command {
	out := slices.Collect(maps.Values(s.byName))
	for name, c := range s.hidden {
		if _, taken := s.byName[name]; !taken {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Lookup returns the command with a name. OWNER:NAME also finds a command that is not hidden.
func (s *Set) Lookup(name string) (Command, bool) {
	if c, ok := s.byName[name]; ok {
		return c, true
	}
	if c, ok := s.hidden[name]; ok {
		return c, true
	}
	owner, plain, _ := strings.Cut(name, ":")
	c, ok := s.byName[plain]
	return c, ok && c.owner() == owner
}

// Run runs the command with a name. args is the text typed after the name. The error is an *UnknownError if no command has the
// name.
func (s *Set) Run(ctx context.Context, name, args string) (Result, error) {
	c, ok := s.Lookup(name)
	if !ok {
		return Result{}, &UnknownError{Name: name, Near: s.near(name)}
	}
	result, err := c.Run(ctx, args)
	if err != nil {
		return Result{}, fmt.Errorf("running /%s: %w", name, err)
	}
	return result, nil
}
