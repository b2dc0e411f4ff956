package agentimport

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/foreign"
)

// rules is a policy of aura.
type rules struct {
	Auto    []string `yaml:"auto,omitempty"`
	Confirm []string `yaml:"confirm,omitempty"`
	Deny    []string `yaml:"deny,omitempty"`
}

// list returns the list for an action, as other agents call it; nil if there is none.
func (r *rules) list(action string) *[]string {
	switch action {
	case "allow":
		return &r.Auto
	case "ask", "ask_user", "prompt":
		return &r.Confirm
	case "deny", "forbidden":
		return &r.Deny
	default:
		return nil
	}
}

func (r *rules) add(action string, patterns ...string) {
	list := r.list(action)
	for _, p := range patterns {
		if list != nil && !slices.Contains(*list, p) {
			*list = append(*list, p)
		}
	}
}

const policyFile = "config/features/tools.yaml"

// addPolicy adds a policy if it has rules.
func (in *input) addPolicy(it Item, r rules) {
	it.Name, it.File = "tools.policy", policyFile
	if len(r.Auto)+len(r.Confirm)+len(r.Deny) == 0 {
		if len(it.Notes) == 0 {
			return
		}
		it.Skipped = "it has no rule that aura can have"
	}
	var err error
	if it.Text, err = encode(map[string]any{"tools": map[string]rules{"policy": r}}); err != nil {
		it.Skipped = err.Error()
	}
	in.add(it)
}

// policy returns the reader of a part about permissions: fill turns the object at its key, or the whole file, into rules. A text in the
// place of the object is about all tools.
func policy(fill func(found object, r *rules, it *Item)) func(in *input) error {
	return func(in *input) error {
		doc, err := in.document()
		if err != nil {
			return err
		}
		found := doc
		if all := text(at(doc, in.key)); all != "" {
			found = object{"*": all}
		} else if in.key != "" {
			found, err = section(doc, in.key)
		}
		if err != nil || found == nil {
			return err
		}
		var r rules
		var it Item
		fill(found, &r, &it)
		in.addPolicy(it, r)
		return nil
	}
}

// ruled returns the patterns of a rule about a tool, limited to commands that begin with one of the texts. It reports whether aura has the tool.
func ruled(agent foreign.Agent, name string, starts ...string) (patterns []string, known bool) {
	ours, known := foreign.NameIn(agent, name)
	if !known || ours != "Bash" || len(starts) == 0 {
		return []string{ours}, known
	}
	for _, p := range starts {
		patterns = append(patterns, prefixes(plain(p))...)
	}
	return patterns, true
}

// plain returns a pattern for a text of another agent. Stars keep their meaning.
func plain(text string) string { return strings.ReplaceAll(text, "[", "[[]") }

// prefixes returns the patterns of a shell command and of all that begin with it and a blank.
func prefixes(command string) []string {
	command = strings.TrimSpace(command)
	return []string{"Bash:" + command, "Bash:" + command + " *"}
}

// claudePermissions reads permissions of Claude Code.
func claudePermissions(found object, r *rules, it *Item) {
	for _, action := range []string{"allow", "ask", "deny"} {
		for _, rule := range texts(found[action]) {
			patterns, why := claudeRule(rule)
			if why != "" {
				it.addNote("%s %s is left out: %s", action, rule, why)
				continue
			}
			r.add(action, patterns...)
		}
	}
	if mode := text(found["defaultMode"]); mode != "" {
		it.addNote("defaultMode %s is left out: what no rule names runs in the sandbox", mode)
	}
	it.rest(found, "allow", "ask", "deny", "defaultMode")
}

// covered lists the tools of aura for a rule of Claude Code about files. A rule about Edit is about all tools that change files.
var covered = map[string][]string{
	"Edit": {"Edit", "Write", "Patch"},
	"Read": {"Read", "Rg", "Glob", "Ls"},
}

// claudeRule converts a rule. If it cannot be, why says so.
func claudeRule(rule string) (patterns []string, why string) {
	name, rest, limited := strings.Cut(rule, "(")
	ours, known := foreign.NameIn(foreign.Claude, name)
	inner, closed := strings.CutSuffix(rest, ")")
	tools := []string{ours}
	if all, ok := covered[name]; ok {
		tools = all
	}
	switch {
	case !known:
		return nil, "aura has no tool like it"
	case limited && !closed:
		return nil, "the bracket is not closed"
	case strings.HasPrefix(name, "mcp__") && strings.Count(name, "__") == 1:
		return []string{name + "__*"}, ""
	case !limited || inner == "" || inner == "*" || inner == "**":
		return tools, ""
	case ours == "Bash":
		return bashRule(inner), ""
	case covered[name] != nil || ours == "Write":
		paths, why := pathPatterns(inner)
		for _, tool := range tools {
			for _, p := range paths {
				patterns = append(patterns, tool+":"+p)
			}
		}
		return patterns, why
	default:
		return nil, "aura limits " + ours + " as a whole only"
	}
}

// bashRule converts the text of a rule about commands.
func bashRule(inner string) []string {
	inner = plain(inner)
	if prefix, ok := strings.CutSuffix(inner, ":*"); ok {
		return prefixes(prefix)
	}
	if prefix, ok := strings.CutSuffix(inner, " *"); ok && !strings.Contains(prefix, "*") {
		return prefixes(prefix)
	}
	return []string{"Bash:" + inner}
}

// pathPatterns converts a pattern of .gitignore to those of aura, in which a star also stands for slashes.
func pathPatterns(inner string) (patterns []string, why string) {
	anywhere := !strings.Contains(strings.TrimSuffix(inner, "/"), "/")
	switch {
	case strings.HasPrefix(inner, "~/"):
		return nil, "aura's rules do not know ~: write the whole path"
	case strings.HasPrefix(inner, "!"), strings.ContainsAny(inner, "?[{"):
		return nil, "aura's patterns have stars only"
	case strings.HasPrefix(inner, "//"):
		inner = inner[1:]
	case strings.HasPrefix(inner, "**/"):
		inner, anywhere = strings.TrimLeft(inner, "*/"), true
	default:
		inner = strings.TrimPrefix(strings.TrimPrefix(inner, "./"), "/")
	}
	if inner = stars().ReplaceAllString(inner, "*"); strings.HasSuffix(inner, "/") {
		inner += "*"
	}
	switch {
	case inner == "":
		return nil, "it names no file"
	case anywhere:
		return []string{inner, "*/" + inner}, ""
	default:
		return []string{inner}, ""
	}
}

var stars = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\*\*+`) })

// geminiPermissions reads the lists of tools in the settings of Gemini CLI.
func geminiPermissions(found object, r *rules, it *Item) {
	for _, list := range []struct{ key, action string }{{"allowed", "allow"}, {"exclude", "deny"}} {
		for _, rule := range texts(found[list.key]) {
			name, rest, limited := strings.Cut(rule, "(")
			var starts []string
			if limited {
				starts = []string{strings.TrimSuffix(rest, ")")}
			}
			if patterns, known := ruled(foreign.Gemini, name, starts...); known {
				r.add(list.action, patterns...)
			} else {
				it.addNote("%s is left out: aura has no tool like it", rule)
			}
		}
	}
	it.rest(found, "allowed", "exclude")
}

// geminiPolicy reads a file of rules of Gemini CLI. It orders rules by numbers; aura's order is deny, confirm, auto.
func geminiPolicy(found object, r *rules, it *Item) {
	list, _ := found["rule"].([]any)
	for n, v := range list {
		rule, _ := v.(object)
		leave := func(why string) { it.addNote("rule %d is left out: %s", n+1, why) }
		action := text(rule["decision"])
		if r.list(action) == nil {
			leave(fmt.Sprintf("its decision is %q", action))
			continue
		}
		for _, key := range []string{"argsPattern", "commandRegex", "modes", "mcpName"} {
			if rule[key] != nil {
				action = ""
				leave("aura's rules have no " + key)
				break
			}
		}
		for _, name := range texts(rule["toolName"]) {
			switch patterns, known := ruled(foreign.Gemini, name, texts(rule["commandPrefix"])...); {
			case action == "":
			case !known:
				leave("aura has no tool like " + name)
			default:
				r.add(action, patterns...)
			}
		}
	}
	if len(list) > 0 {
		it.addNote("priorities are left out: in aura deny comes before confirm, and confirm before auto")
	}
}

// openCodePermissions reads permission of OpenCode: an action for a tool, or one for each pattern.
func openCodePermissions(found object, r *rules, it *Item) {
	for _, name := range sortedKeys(found) {
		ours, known := foreign.NameIn(foreign.OpenCode, name)
		tools := []string{ours}
		switch name {
		case "edit":
			tools = covered["Edit"]
		case "*":
			known = len(found) == 1 // beside others, the last rule that matches would count, which aura does not have
		}
		patterns, _ := found[name].(object)
		switch action := text(found[name]); {
		case !known:
			it.addNote("permission %s is left out: aura has no tool like it", name)
		case action != "":
			r.add(action, tools...)
		case ours == "Bash" && narrower(patterns):
			it.addNote("permission bash has patterns that allow more than an earlier one: in aura deny and confirm come first, so write these rules yourself")
		default:
			for _, p := range sortedKeys(patterns) {
				for _, tool := range tools {
					pattern := tool + ":" + plain(p)
					if p == "*" {
						pattern = tool
					}
					r.add(text(patterns[p]), pattern)
				}
			}
		}
	}
}

// narrower reports whether a pattern is allowed while the star is not. The last rule that matches counts in OpenCode, the strictest in aura.
func narrower(patterns object) bool {
	rest := text(patterns["*"])
	if rest != "ask" && rest != "deny" {
		return false
	}
	for _, action := range patterns {
		if action != rest && (rest != "ask" || action != "deny") {
			return true
		}
	}
	return false
}

// codexPermissions describes what Codex decides by modes.
func codexPermissions(found object, r *rules, it *Item) {
	switch mode := text(found["*"]); mode {
	case "":
	case "untrusted":
		r.add("ask", "Bash", "Edit", "Write", "Patch")
		it.addNote("approval_policy untrusted: aura asks before each command, also before those that Codex trusts")
	default:
		it.addNote("approval_policy %s: aura runs calls in its sandbox without asking", mode)
	}
}
