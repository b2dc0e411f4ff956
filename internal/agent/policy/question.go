package policy

// Question asks whether a tool call may run. Its texts come from models, plugins and files; a front end cleans them before it
// shows them.
type Question struct {
	Tool string
	Args map[string]any
	// Rule is the rule of the policy that requires the question. It is empty if the tool itself requires it.
	Rule string
	// By says where the rule is written, or which tool requires the question, such as "agent coder (.aura/config/agents/coder.md)"
	// or "plugin deploy (/home/you/project/.aura/plugins/deploy)".
	By string
	// Pattern is what the decisions Session and Always approve, unless the user edits it. It covers little more than this call.
	// It is empty if no pattern can cover the call: the user then decides about this call alone.
	Pattern string
	// Covers describes in words which calls Pattern covers, such as "this exact command".
	Covers string
	// Changes is a unified diff of all that the call would change in files. It is empty if that is not known, or too long for a
	// diff; the arguments say it then.
	Changes string

	// Text is a text in Markdown that the user is to accept, and Options says how. Both are empty for a question whether a call may run. The
	// decision is then Once, with one of the options, or Reject.
	Text    string
	Options []Option

	// Access describes what a program wants beyond the limits of the sandbox; nil if the question is about a call or a text.
	Access *Access

	// About is the call as the policy sees it. It may be empty: Tool and Args describe the call then.
	About Call
}

// Check returns why a pattern that the user edited cannot be approved: it is malformed, or does not cover the call. A front end
// calls Check before it returns the pattern, so that the user can correct it.
func (q Question) Check(pattern string) error {
	call := q.About
	if call.Tool == "" {
		call = Call{Tool: q.Tool, Args: q.Args, Shell: q.Tool == ShellTool}
	}
	return call.Check(pattern)
}

// Option is a way to accept a text.
type Option struct{ Value, Title string }

// Decision is what the user decides about a tool call.
type Decision int

// The decisions. The zero value denies the call.
const (
	// Reject denies the call. The turn continues.
	Reject Decision = iota
	// Once lets this call run.
	Once
	// Session lets this call run, and all calls that the pattern covers, until the session ends.
	Session
	// Always lets this call run, and all calls that the pattern covers, in this and in later sessions of the project.
	Always
	// Outside lets this call run without the sandbox. It is an answer only to a question that offers it.
	Outside
)

// String returns the word for a decision in events.
func (d Decision) String() string {
	switch d {
	case Once:
		return "once"
	case Session:
		return "session"
	case Always:
		return "always"
	case Outside:
		return "outside"
	default:
		return "no"
	}
}

// Answer is the user's answer to a Question.
type Answer struct {
	Decision Decision
	// Pattern is what Session and Always approve: the pattern of the question, or what the user made of it.
	Pattern string
	// Option is the value of the option that the user chose, if the question has any.
	Option string
	// Reason is what the user says to the model with Reject. It may be empty.
	Reason string
	// Via names the program by which the user answered; empty for the front end of the session.
	Via string
}

// RefusedError is a call that the user denied.
type RefusedError struct {
	// Reason is what the user says about it. It may be empty.
	Reason string
	// Earlier is set if the user denied it before, and was not asked again.
	Earlier bool
}

func (e *RefusedError) Error() string {
	text := "the user said no"
	if e.Earlier {
		text += " earlier in this session"
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}
