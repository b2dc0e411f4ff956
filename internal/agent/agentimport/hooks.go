package agentimport

import (
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/foreign"
)

// hookEntry is a hook in the format of aura's files.
type hookEntry struct {
	Description string `yaml:"description,omitempty"`
	Event       string `yaml:"event"`
	Protocol    string `yaml:"protocol"`
	Matcher     string `yaml:"matcher,omitempty"`
	// Calls is the filter "if" of Claude Code.
	Calls    []string `yaml:"calls,omitempty"`
	Command  string   `yaml:"command"`
	Timeout  int      `yaml:"timeout,omitempty"`
	Disabled bool     `yaml:"disabled,omitempty"`
}

// aboutCalls lists the events that are about tool calls.
var aboutCalls = []string{"pre", "post", "post_failure", "approval"}

// withoutMatcher lists the events that have nothing to compare a matcher with.
var withoutMatcher = []string{"prompt", "stop"}

// maxHookSeconds is the longest timeout of a hook of aura.
const maxHookSeconds = 24 * 60 * 60

// hooks reads groups of hooks by event, as Claude Code has them, and after it Codex and Gemini CLI.
func hooks(in *input) error {
	doc, err := in.document()
	if err != nil {
		return err
	}
	found, err := section(doc, in.key)
	if err != nil {
		return err
	}
	in.hookGroups(found, in.file)
	return nil
}

func (in *input) hookGroups(found object, from string) {
	count := map[string]int{}
	for _, event := range slices.Sorted(maps.Keys(found)) {
		groups, ok := found[event].([]any)
		if !ok {
			continue // a switch beside the events, such as enabled
		}
		for _, g := range groups {
			group, _ := g.(object)
			list, _ := group["hooks"].([]any)
			for _, h := range list {
				hook, _ := h.(object)
				count[event]++
				in.file = from
				in.add(in.hook(event, text(group["matcher"]), hook, count[event]))
			}
		}
	}
}

// hook converts one hook.
func (in *input) hook(event, matcher string, hook object, number int) Item {
	base := in.agentName()
	if name := strings.TrimSuffix(path.Base(in.file), path.Ext(in.file)); name == "settings.local" {
		base += "-local"
	}
	it := Item{Name: fmt.Sprintf("%s-%s-%d", base, event, number), File: "config/hooks/" + base + ".yaml"}
	aura, known := foreign.EventIn(in.agent, event)
	e := hookEntry{Event: aura, Protocol: "claude", Matcher: matcher, Command: text(hook["command"]), Description: in.literal(text(hook["description"]))}
	kind := text(hook["type"])
	switch {
	case !known:
		it.Skipped = fmt.Sprintf("aura has no event like %s", event)
	case kind != "" && kind != "command":
		it.Skipped = fmt.Sprintf("its type is %q: aura runs commands only", kind)
	case strings.TrimSpace(e.Command) == "":
		it.Skipped = "it has no command"
	}
	if slices.Contains(withoutMatcher, aura) && matcher != "" {
		e.Matcher = ""
		it.addNote("the matcher is left out: %s has nothing to compare it with", event)
	}
	if _, err := regexp.Compile(e.Matcher); err != nil && e.Matcher != "*" {
		it.Skipped = fmt.Sprintf("its matcher %q is no regular expression that aura knows", matcher)
	}
	if e.Matcher == "*" || e.Matcher == ".*" {
		e.Matcher = ""
	}
	e.Timeout = in.seconds(hook["timeout"])
	if in.agent == foreign.Gemini {
		// Its scripts read other names of tools and events. A script that blocks calls would block none, and nobody would notice.
		e.Disabled = true
		it.addNote("it is disabled, because its script reads the names of Gemini CLI: change it to those of the protocol claude, then remove disabled:")
	}
	if list := texts(hook["args"]); len(list) > 0 {
		for _, arg := range list {
			e.Command += " " + quoteWord(arg)
		}
	}
	e.Command = in.rooted(e.Command)
	it.filter(&e, hook["if"])
	it.rest(hook, "type", "if", "command", "args", "timeout", "description", "name", "statusMessage")
	if it.Skipped != "" {
		return it
	}
	var err error
	if it.Text, err = encode(map[string]hookEntry{it.Name: e}); err != nil {
		it.Skipped = err.Error()
	}
	return it
}

// filter converts the filter of a hook. Without it, a hook that may block a call runs for more calls, and every other hook is left out: it could do to a call
// what it was not meant for, such as allow it.
func (i *Item) filter(e *hookEntry, value any) {
	if value == nil || i.Skipped != "" {
		return
	}
	rule := text(value)
	patterns, why := claudeRule(rule)
	if !slices.Contains(aboutCalls, e.Event) {
		why = e.Event + " is about no call"
	}
	switch {
	case why == "":
		e.Calls = patterns
	case e.Event == "pre":
		i.addNote("its filter %q is left out, so that it runs for more calls: %s", rule, why)
	default:
		i.Skipped = fmt.Sprintf("its filter %q cannot be converted: %s", rule, why)
	}
}

// agentName is the first part of the names of what has no name of its own.
func (in *input) agentName() string {
	if in.plugin != "" {
		return in.plugin
	}
	return string(in.agent)
}

// seconds returns a timeout in whole seconds; 0 if there is none that aura accepts. Gemini CLI counts milliseconds.
func (in *input) seconds(value any) int {
	var n float64
	switch v := value.(type) {
	case float64:
		n = v
	case int64:
		n = float64(v)
	}
	if in.agent == foreign.Gemini {
		n /= 1000
	}
	if n <= 0 || n > maxHookSeconds {
		return 0
	}
	return int(math.Ceil(n))
}

// quoteWord returns a word that the shell reads as one, with its variables expanded.
func quoteWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`").Replace(word) + `"`
}
