// Package limit states how much of everything aura takes, and shortens what is more. A limit is a constant here so that the
// code, the messages and docs/limits.md speak of one value.
package limit

// Limits on text that tools and plugins produce, in bytes.
const (
	// Result is the size of one tool result, before the limit in tokens on what the model is shown.
	Result = 16 << 20
	// Diff is the size of the diff that comes with a result.
	Diff = 64 << 10
	// DiffSource is the size of the two versions of a file together, up to which they are compared.
	DiffSource = 2 << 20
	// Notice is the size of one notice of a plugin.
	Notice = 16 << 10
	// Injection is the size of one text that a plugin adds to the conversation or to the system prompt.
	Injection = 1 << 20
	// Frame is the size of one message of a confined tool's process, as JSON.
	Frame = 128 << 20
	// Log is the size at which a plugin's log is moved aside. One old log is kept.
	Log = 1 << 20
	// Spill is the size of the file that holds the whole output of one Bash call.
	Spill = 64 << 20
)

// Limits on the lists that travel with every call of a plugin.
const (
	// History is the size of the old entries of the tool history in bytes, Turns that of the turns, and Messages that of the
	// messages that TransformMessages is given. The newest entry does not count.
	History  = 1 << 20
	Turns    = 1 << 20
	Messages = 16 << 20
	// Entries is how many entries a list has.
	Entries = 2000
	// Patched is how many files the counts of patches cover.
	Patched = 1000
)

// Limits on what a model service sends.
const (
	// StreamEvent is the size of one event of a stream in bytes, and so of one line; Stream is that of a whole stream. Both are
	// after decompression.
	StreamEvent = 8 << 20
	Stream      = 256 << 20
	// Body is the size of an answer that is not a stream, such as a list of models, in bytes after decompression.
	Body = 16 << 20
	// ErrorBody is how much of the body of an error is read, in bytes.
	ErrorBody = 64 << 10
	// Answer is the size of the text, the thinking and the tool calls of one answer in bytes.
	Answer = 8 << 20
	// Calls is how many tool calls one answer may hold.
	Calls = 128
	// Arguments is the size of the arguments of one tool call in bytes.
	Arguments = 4 << 20
)

// Limits on an MCP server.
const (
	// MCPMessage is the size of one message in bytes: a line on standard output, an event, or a body.
	MCPMessage = 16 << 20
	// MCPResult is how many bytes of a result the model gets.
	MCPResult = 1 << 20
	// MCPTools is how many tools of one server are taken, and MCPDescription the size of the description of one in bytes.
	MCPTools       = 1000
	MCPDescription = 8 << 10
)

// Limits on prompts and their templates.
const (
	// Instructions is the size of all files of instructions in a system prompt together, in bytes.
	Instructions = 64 << 10
	// Attachments is how many files one prompt can attach.
	Attachments = 50
	// Prompt is the size of what a template renders to in bytes.
	Prompt = 1 << 20
	// PromptSteps is how many blocks and functions a template may run.
	PromptSteps = 100_000
	// PromptWork is the size of all values that the functions of a template return, in bytes.
	PromptWork = 64 << 20
)
