package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// Broken is what was left out of a configuration.
type Broken struct {
	// LeavesOut is Options.LeaveOut. Faults holds what was left out because of it.
	LeavesOut bool
	Faults    []FaultError
	// defaultFault is why the default agent is not known, or nil.
	defaultFault error
}

// FaultError is why a file, or an entity in it, was left out.
type FaultError struct {
	// Kind is the kind of the entity, such as "agent".
	Kind   string
	Source Source
	Err    error
}

func (f FaultError) Error() string { return f.Err.Error() }

func (f FaultError) Unwrap() error { return f.Err }

// Notice describes the fault for the user.
func (f FaultError) Notice() string {
	return fmt.Sprintf("left out: %v; aura run and the screen do not start before it is corrected", f.Err)
}

// strictKinds are the kinds of files that limit what runs. Leaving one of them out would permit more, so their faults are always errors.
var strictKinds = map[string]bool{toolKind: true}

const (
	agentKind = "agent"
	toolKind  = "tool"
)

// faulty records a fault and returns nil if the load leaves out what is faulty. Otherwise it returns the error.
func (l *loader) faulty(kind string, of Source, err error) error {
	if err == nil || !l.leavesOut || strictKinds[kind] {
		return err
	}
	if kind == agentKind && mayBeDefault(of.File) && l.defaultFault == nil {
		l.defaultFault = err
	}
	l.faults = append(l.faults, FaultError{Kind: kind, Source: of, Err: err})
	return nil
}

// mayBeDefault reports whether the file of an agent may mark it as the default. A file that cannot be read may.
func mayBeDefault(file string) bool {
	data, err := files.Read(file, files.MaxText)
	return err != nil || bytes.Contains(data, []byte("default"))
}

// writtenName matches what may be the name of an entity: a key without indentation, or the value of the key name.
var writtenName = regexp.MustCompile(`(?m)^(?:name:[ \t]*)?["']?([^\s"':#][^"':\n]*?)["']?[ \t]*(?::.*)?\r?$`)

// hide removes from merged what a file would replace if it could be read. Otherwise an entity of a lower home, with other limits, would take
// its place.
func hide[T any](s Source, merged map[string]T) {
	base := filepath.Base(s.File)
	delete(merged, strings.TrimSuffix(base, filepath.Ext(base)))
	data, err := files.Read(s.File, files.MaxText)
	if err != nil {
		return
	}
	for _, match := range writtenName.FindAllSubmatch(data, -1) {
		delete(merged, string(match[1]))
	}
}

// ChooseAgent returns the name of the agent that a command uses: the given one, or the default. It returns an error if the file of an agent
// that was left out may be the default, because its limits would then be missing.
func (c *Config) ChooseAgent(name string) (string, error) {
	if name != "" {
		return name, nil
	}
	if c.defaultFault != nil {
		return "", fmt.Errorf("choosing the default agent: a file of an agent is faulty and may be the default: correct it, or name an agent with --agent: %w", c.defaultFault)
	}
	usual, _ := c.DefaultAgent()
	return usual.Name, nil
}
