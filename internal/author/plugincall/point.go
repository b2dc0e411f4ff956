package plugincall

import (
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/shared"
)

// Point says what of a plugin is called. Its text is the name of a hook point, or a kind and a name: "tool:Notepad".
type Point struct {
	// Kind is empty for a hook, or host.PointTool, PointPaths, PointCommand or PointEvent.
	Kind string
	// Name is the name of the hook point, the tool, the command (without a slash) or the event.
	Name string
}

// kinds lists the kinds of points other than hooks.
var kinds = []string{host.PointTool, host.PointCommand, host.PointPaths, host.PointEvent}

// ParsePoint parses the text of a point.
func ParsePoint(text string) (Point, error) {
	kind, name, hasKind := strings.Cut(text, ":")
	if !hasKind {
		if _, ok := hookpoint.Lookup(hookpoint.Name(text)); !ok {
			return Point{}, fmt.Errorf("reading point %q: there is no such hook; write a hook's name, tool:NAME or command:NAME%s",
				text, nearest.Hint(text, hookpoint.Names()))
		}
		return Point{Name: text}, nil
	}
	for _, k := range kinds {
		if k == kind && name != "" {
			return Point{Kind: kind, Name: strings.TrimPrefix(name, "/")}, nil
		}
	}
	return Point{}, fmt.Errorf("reading point %q: write a hook's name, tool:NAME or command:NAME", text)
}

// String returns the text that ParsePoint parses.
func (p Point) String() string {
	if p.Kind == "" {
		return p.Name
	}
	return p.Kind + ":" + p.Name
}

// Points returns what can be called of a plugin: its hooks in the order of the hook point table, its tools and its commands.
func Points(e shared.Exports) []Point {
	var out []Point
	for _, name := range e.Hooks {
		out = append(out, Point{Name: string(name)})
	}
	for _, t := range e.Tools {
		out = append(out, Point{host.PointTool, t.Schema.Name})
	}
	for _, c := range e.Commands {
		out = append(out, Point{host.PointCommand, c.Name})
	}
	return out
}

// exported returns an error if a plugin does not have a point.
func exported(e shared.Exports, p Point) error {
	if p.Kind == host.PointEvent {
		return nil // a plugin may listen to further events while it runs
	}
	if p.Kind == host.PointPaths {
		if t := e.Tool(p.Name); t == nil || !t.HasPaths {
			return fmt.Errorf("it has no tool %q that reports paths", p.Name)
		}
		return nil
	}
	var known []string
	for _, has := range Points(e) {
		if has == p {
			return nil
		}
		known = append(known, has.String())
	}
	if len(known) == 0 {
		return errors.New("it exports no hook, no tool and no command")
	}
	return fmt.Errorf("it does not export that; it exports: %s", strings.Join(known, ", "))
}
