// Package hooks runs the user's shell hooks before and after tool calls and at other moments of a session. A hook is compiled once. It is
// matched by the name of the tool, the names of the files that a call touches and its arguments, and runs in its own limited process. It receives the
// call as JSON on its standard input and answers with its exit status and its output:
//
//   - 0: standard output is {"message": …, "deny": …, "reason": …}, or a plain message; a value of the wrong type is a
//     failure, which does not block the call
//   - 2: a pre hook blocks the call, with standard error as the reason; for a post hook, standard error is feedback
//   - any other status: standard error, or else standard output, is feedback
//
// The table of moments says what differs at other events. Before and after tool calls, the caller runs the hooks. At other moments they are
// handlers of the pipeline that plugins take part in. A hook with protocol claude reads and answers the JSON of Claude Code's hooks.
//
// A hook never ends the session: every failure becomes a text of limited size that names the hook.
package hooks

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/foreign"
	"github.com/idelchi/aura/internal/agent/policy"
)

// DefaultTimeout is the timeout of a hook that sets none.
const DefaultTimeout = 10 * time.Second

// Entry is a compiled hook.
type Entry struct {
	Name        string
	Description string
	// Event is one of the events.
	Event string
	// Protocol is ProtocolAura or ProtocolClaude; empty means the former.
	Protocol string
	// Matcher selects tools by name, or what else an event is about. A nil Matcher matches everything.
	Matcher *regexp.Regexp
	// Files is a pattern of filepath.Match for base names. If it is empty, the hook runs for every call, including calls
	// without files.
	Files string
	// Calls selects calls by their arguments. A nil Calls selects every call.
	Calls   *policy.Calls
	Command string
	// Timeout is DefaultTimeout if it is 0.
	Timeout time.Duration
	// Depends holds the hooks of the same event that must run before this one.
	Depends []string
	// Silent discards the hook's output and its exit status.
	Silent bool
	// Unconfined and Extra are those of the Definition.
	Unconfined bool
	Extra      Extra
	Env        map[string]string
}

// MatchedPaths returns the paths whose base names match Files. If Files is empty, it returns all paths unchanged.
func (e Entry) MatchedPaths(paths []string) []string {
	if e.Files == "" {
		return paths
	}
	var matched []string
	for _, path := range paths {
		// Compile rejects an invalid pattern. In an Entry built by hand, an invalid pattern matches nothing.
		if ok, err := filepath.Match(e.Files, filepath.Base(path)); err == nil && ok {
			matched = append(matched, path)
		}
	}
	return matched
}

// files returns the files that the hook finds in its variables.
func (e Entry) files(c Call) []string {
	matched := slices.Clone(e.MatchedPaths(c.Paths))
	return slices.DeleteFunc(matched, func(path string) bool { return slices.Contains(c.Gone, path) })
}

// Skip returns the reason why the hook does not run for a call, or "" if it runs.
func (e Entry) Skip(c Call) string {
	if of := e.matched(c); e.Matcher != nil && !slices.ContainsFunc(of, e.Matcher.MatchString) {
		kind := "tool "
		if momentOf(e.Event).subject != "" {
			kind = ""
		}
		return "the matcher " + e.Matcher.String() + " does not match " + kind + of[0]
	}
	if e.Protocol == ProtocolClaude && e.Event == EventPost && c.Failure != "" {
		return "the call failed, for which the protocol claude has the event " + EventPostFailure
	}
	if e.Files != "" && len(e.MatchedPaths(c.Paths)) == 0 {
		return "no file of the call matches " + e.Files
	}
	if e.Calls != nil && !e.selects(c) {
		return "its calls do not match the call"
	}
	// Programs take no files for all files, or read standard input. A hook that does not use the variables learns of the call all the same.
	if len(c.Gone) > 0 && len(e.MatchedPaths(c.Paths)) > 0 && len(e.files(c)) == 0 && strings.Contains(e.Command, "FILE") {
		return "the call deleted the files"
	}
	return ""
}

// selects reports whether Calls selects a call. A hook before a call may be there to block it, so it also sees a shell line that may hide what it
// selects. A hook that answers an approval may allow the call, so it sees only lines that it selects as a whole.
func (e Entry) selects(c Call) bool {
	calls := e.Calls.In(c.Dir)
	switch e.Event {
	case EventPre:
		return calls.MayTouch(c.Tool, c.Input)
	case EventApproval:
		return calls.Cover(c.Tool, c.Input)
	default:
		return calls.Touch(c.Tool, c.Input)
	}
}

// Matches reports whether the matcher matches a tool.
func (e Entry) Matches(tool string) bool {
	return e.Matcher == nil || slices.ContainsFunc(e.matched(Call{Tool: tool}), e.Matcher.MatchString)
}

// matched returns what the matcher is compared with: the tool, or what else the event is about. A foreign hook knows tools by other names too.
func (e Entry) matched(c Call) []string {
	switch {
	case momentOf(e.Event).subject != "":
		return []string{c.Subject}
	case e.Protocol == ProtocolClaude:
		return []string{foreign.ClaudeName(c.Tool), c.Tool}
	default:
		return []string{c.Tool}
	}
}
