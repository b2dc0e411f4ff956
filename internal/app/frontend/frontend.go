// Package frontend defines the interface between a session and the front end that shows it: text on a terminal, JSON lines, an
// editor or a screen.
package frontend

import (
	"context"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/agent/todo"
)

// FrontEnd shows a session. A front end that can ask the user is also an Asker.
type FrontEnd interface {
	// Event receives every event of the session in order, one call at a time. The session waits until Event returns.
	Event(e event.Event)
}

// Asker is a front end with a user who can answer. Without an Asker, tool calls that need approval are denied.
type Asker interface {
	// Ask returns whether a tool call may run. It returns when ctx ends. The session asks one question at a time, and does not ask
	// about calls that an earlier answer covers. A pattern that the user edited must pass q.Check.
	Ask(ctx context.Context, q policy.Question) (policy.Answer, error)
}

// AnsweredError is the cause for which the context of Ask or Inquire ends if the user has answered elsewhere. What the front end returns does not
// count then, and a notice says what was answered.
type AnsweredError struct {
	// By names the program in which the user answered, and Answer is the answer in words.
	By, Answer string
	// Refused is set if the answer is no.
	Refused bool
}

func (e *AnsweredError) Error() string {
	return "the question was answered by " + e.By + ": " + e.Answer
}

// Inquirer is a front end whose user can answer questions of MCP servers. Without an Inquirer, they are declined.
type Inquirer interface {
	// Inquire asks for one value, or whether to open a URL. ok is false if the user declines. A text must pass q.Check. It returns when ctx
	// ends. The error is mcp.ErrNoText if the front end cannot ask for a text. The session asks one question at a time.
	Inquire(ctx context.Context, q mcp.Inquiry) (text string, ok bool, err error)
}

// ThinkingViewer is a front end that can show the model's thinking.
type ThinkingViewer interface {
	// ShowThinking sets whether the front end shows the thinking from now on.
	ShowThinking(on bool)
}

// BufferSaver is a front end that holds files with changes that are not saved. It is used only if the user's features allow it.
type BufferSaver interface {
	// SaveBuffers saves those of the files that have changes. It returns when ctx ends.
	SaveBuffers(ctx context.Context, paths []string) error
}

// ShellRunner is a front end that can run commands in the user's shell. Without a ShellRunner, a line that begins with an exclamation
// mark is a prompt.
type ShellRunner interface {
	// RunShell runs a command as the user and shows its output and its failure. It returns when the command has ended or ctx ends. The
	// command comes from a line of the user, never from a file or the model.
	RunShell(ctx context.Context, command string)
}

// Commander is a front end with slash commands of its own.
type Commander interface {
	// Commands returns the commands. They run in the goroutine of the session.
	Commands() []command.Command
}

// Session is the part of a session that a front end can use. RunLine must be called from one goroutine; the other methods may be called
// at any time.
type Session interface {
	// RunLine runs a line and reports whether the user asked to exit. It returns when the model has answered or the command has ended.
	//
	// A line that begins with a slash and a name is a slash command. A command that fails, or that does not exist, is reported as an
	// event. The returned error is the error of a prompt that the command sent. A command takes no files; a notice reports those that
	// were left out. A line that begins with an exclamation mark is for the ShellRunner. Every other line is a prompt. If it is empty, or
	// if a file cannot be sent, RunLine refuses it: the model gets nothing.
	RunLine(ctx context.Context, line Line) (exit bool, err error)
	// Attachable describes a media file, or returns the reason why the present model does not get it. A front end can call
	// it when the user adds the file to a prompt that is sent later. It does not consult plugins and policies; RunLine does.
	Attachable(ctx context.Context, a Attachment) (event.Attachment, error)
	// Cancel stops the running prompt or command; RunLine returns cause. The session can be used again.
	Cancel(cause error)
	// EndCall ends one tool call of the running prompt, if it runs. The model gets an error as its result, and goes on.
	EndCall(id string)
	// Health returns the health of each plugin.
	Health() []host.PluginHealth
	// Status returns the present state. It is cheap, except that the first call of a process may load the vocabulary that tokens are
	// counted with.
	Status() Status
	// Role returns who answers. It is always cheap.
	Role() Role
	// Commands returns the slash commands, sorted by name.
	Commands() []CommandInfo
	// Choices returns the values that a slash command takes, for the commands agent, mode, model and resume; it returns none for
	// other commands. If some values cannot be listed, Choices returns the others and an error.
	Choices(ctx context.Context, command string) ([]Choice, error)
	// Complete returns what the last word of a line may become: an argument of a prompt of an MCP server, or a mention of one of its
	// resources. It asks the server.
	Complete(ctx context.Context, line string) ([]Choice, error)
	// History returns the messages of the conversation without secrets. The caller owns the slice.
	History() []llm.Message
	// Todos returns the todo list without secrets. It may also be called from Event. The caller owns the slice.
	Todos() []todo.Item
	// Close ends the session. No method may be called after Close.
	Close(reason session.Reason) error
}

// Attachment is a file that is sent with a prompt. Path, Data or Output is set.
type Attachment struct {
	// Path names a file. A relative path is relative to the session's working directory. The file is read when the prompt is sent, by
	// the same rules as a file that the prompt mentions, except that the sandbox lets the file be read wherever it is. So the path
	// must come from the user.
	Path string
	// Data is a media file that has no path, such as a pasted image.
	Data []byte
	// Name names Data. By default, the name is invented.
	Name string
	// Output is the output of the command Name, which the user ran and which ended with Status.
	Output, Status string
}
