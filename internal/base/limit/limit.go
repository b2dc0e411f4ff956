// Package limit defines aura's limits and shortens what exceeds them. Each limit is a constant in this package, so that the
// code, the messages and docs/limits.md use the same value.
package limit

import "github.com/idelchi/aura/internal/base/files"

// Limits for text that tools and plugins produce, in bytes.
const (
	// Result is the maximum size of a tool result. It applies before the token limit for the model.
	Result = 16 << 20
	// Diff is the maximum size of the diff of a result.
	Diff = 64 << 10
	// DiffSource is the maximum size of both versions of a file together. Larger files are not compared.
	DiffSource = 2 << 20
	// DiffSources is the maximum size of all versions of all files of one call that are compared.
	DiffSources = 8 << 20
	// Notice is the maximum size of a plugin's notice.
	Notice = 16 << 10
	// Injection is the maximum size of a text that a plugin adds to the conversation or to the system prompt.
	Injection = 1 << 20
	// Frame is the maximum size of a message of a confined tool's process, as JSON.
	Frame = 128 << 20
	// Log is the size at which a plugin's log is rotated. One old log is kept.
	Log = 1 << 20
	// Recording is the maximum size of the recording of a session's plugin calls.
	Recording = 256 << 20
	// Facts is the maximum size of the records about plugins in a journal. FactText is the maximum size of a value in such a record, and
	// FactDiff that of a diff. FactChanges is the maximum number of changes in one record.
	Facts       = 64 << 20
	FactText    = 2 << 10
	FactDiff    = 4 << 10
	FactChanges = 20
	// FilesDiff is the maximum size of the diff of a tool call in a journal.
	FilesDiff = 16 << 10
	// SpanText is the maximum size of a text in a trace.
	SpanText = 16 << 10
	// Spill is the maximum size of the file with the whole output of a Bash call.
	Spill = 64 << 20
	// Shared is the maximum size of the output of a user's command that is kept for /share: its end.
	Shared = 64 << 10
)

// Limits for the work of the built-in tools. A call beyond one of them is refused.
const (
	// PatternBytes is the maximum size of a pattern of Glob and Rg, in bytes.
	PatternBytes = 8 << 10
	// GlobAlternatives is the maximum number of patterns that the braces between two ** of a pattern stand for.
	GlobAlternatives = 1000
	// GlobFound is the maximum number of files and directories that Glob collects.
	GlobFound = 500_000
	// DirEntries is the maximum number of entries of a directory that Glob and Rg look at.
	DirEntries = 1_000_000
	// RgProgram is the maximum number of instructions of a compiled regular expression. The time for a line is at most their product.
	RgProgram = 10_000
	// EditFile is the maximum size of a file that Edit and Patch change, before and after, in bytes.
	EditFile = 64 << 20
	// PatchFiles and PatchLines are the maximum number of files in a patch and of lines in a file that it changes. PatchWork is the
	// maximum number of lines that are compared to find the hunks of a file.
	PatchFiles = 1000
	PatchLines = 2_000_000
	PatchWork  = 100_000_000
)

// Limits for pages of the web, in bytes.
const (
	// PageSource is how much of a page is read, after decompression. PageText is the maximum size of its text, and PagePart is how much of
	// that one call returns.
	PageSource = 2 << 20
	PageText   = 1 << 20
	PagePart   = 32 << 10
	// PageRedirects is how many redirects of a host to itself are followed.
	PageRedirects = 5
	// Pages and PageBytes are the maximum number and size of the pages that a session keeps.
	Pages     = 50
	PageBytes = 8 << 20
)

// Limits for the lists that are part of every call of a plugin.
const (
	// History, Turns and Messages are maximum sizes in bytes: of the old entries of the tool history, of the turns, and of the
	// messages passed to TransformMessages. The newest entry does not count.
	History  = 1 << 20
	Turns    = 1 << 20
	Messages = 16 << 20
	// Entries is the maximum number of entries in a list.
	Entries = 2000
	// Patched is the maximum number of files in the patch counts.
	Patched = 1000
)

// Limits for what waits for one plugin.
const (
	// WaitingEvents and WaitingEventBytes are the maximum number and size of the events of other plugins.
	WaitingEvents     = 1000
	WaitingEventBytes = 8 << 20
	// EventName is the maximum size of an event's name, and EventNames the maximum number of events that a plugin listens to in addition
	// to those at its start.
	EventName  = 256
	EventNames = 1000
	// WaitingChunks and WaitingChunkBytes are the maximum number and size of the pieces of an answer.
	WaitingChunks     = 1000
	WaitingChunkBytes = 256 << 10
)

// Limits for the answers of a model service.
const (
	// StreamEvent is the maximum size of an event of a stream, and so of a line. Stream is the maximum size of a whole stream.
	// Both are in bytes after decompression.
	StreamEvent = 8 << 20
	Stream      = 256 << 20
	// Body is the maximum size of an answer that is not a stream, such as a list of models, in bytes after decompression.
	Body = 16 << 20
	// ErrorBody is the maximum number of bytes that are read of the body of an error.
	ErrorBody = 64 << 10
	// Answer is the maximum size of the text, the thinking and the tool calls of one answer, in bytes.
	Answer = 8 << 20
	// Calls is the maximum number of tool calls in one answer.
	Calls = 128
	// Arguments is the maximum size of the arguments of one tool call, in bytes.
	Arguments = 4 << 20
)

// Limits for an MCP server.
const (
	// MCPMessage is the maximum size of one message in bytes: a line on standard output, an event, or a body.
	MCPMessage = 16 << 20
	// MCPResult is the maximum number of bytes of a result that the model receives.
	MCPResult = 1 << 20
	// MCPTools is the maximum number of tools of one server. MCPDescription is the maximum size of a tool's description, in
	// bytes.
	MCPTools       = 1000
	MCPDescription = 8 << 10
	// MCPEntries is the maximum number of prompts, of resources, and of templates of resources of one server. MCPListed is the maximum number
	// of them that one call of a tool lists, and MCPChoices that of completions of one value. MCPLogLines is how many messages of a server's
	// log wait to be shown.
	MCPEntries  = 1000
	MCPListed   = 200
	MCPChoices  = 100
	MCPLogLines = 100
	// MCPQuestions is how many questions a server asks during its calls, and how many fields a form has. MCPOptions is how many values a field
	// offers. MCPQuestionText is how many bytes a text of a question has.
	MCPQuestions    = 20
	MCPOptions      = 50
	MCPQuestionText = 4096
	// MCPRequests is the maximum number of requests of a server that aura has not answered yet. MCPUnasked is the maximum number of
	// messages per minute that answer no request of aura. MCPHeader is the maximum size of the header of an answer, in bytes. MCPPages
	// is the maximum number of pages in a list.
	MCPRequests = 100
	MCPUnasked  = 20_000
	MCPHeader   = 1 << 20
	MCPPages    = 1000
)

// Media returns the maximum size of an attached file of a media type, in bytes.
func Media(mediaType string) int {
	switch {
	case mediaType == files.PDF:
		return PDF
	case files.IsAudio(mediaType):
		return Audio
	default:
		return Image
	}
}

// Limits for a client of the Agent Client Protocol.
const (
	// ACPMessage is the maximum size of one message of the client in bytes. Its images are in base64, which adds a third.
	ACPMessage = 64 << 20
	// ACPRequests is the maximum number of requests that are not answered yet. ACPSessions is the maximum number of open sessions.
	ACPRequests = 64
	ACPSessions = 32
	// ACPHeld is the maximum number of updates that wait until the client knows the session.
	ACPHeld = 1000
	// ACPOutput is how much of the output of a running tool the client shows, in bytes.
	ACPOutput = 16 << 10
)

// ConfigFiles is the maximum number of files and folders in one folder of configuration, such as agents, with its subfolders.
const ConfigFiles = 10_000

// Limits for prompts and their templates.
const (
	// Instructions is the maximum size of all instruction files in a system prompt together, in bytes.
	Instructions = 64 << 10
	// Attachments is the maximum number of files that one prompt can attach.
	Attachments = 50
	// Image, Audio and PDF are the maximum sizes of an attached image, of attached audio and of an attached PDF file, in bytes. Parts and PartBytes are the
	// maximum number and total size of the media files of one prompt. PartBytes bounds a record of the journal.
	Image     = 5 << 20
	Audio     = 14 << 20
	PDF       = 32 << 20
	Parts     = 20
	PartBytes = 32 << 20
	// Prompt is the maximum size of a rendered template, in bytes.
	Prompt = 1 << 20
	// PromptSteps is the maximum number of blocks and functions that a template may run.
	PromptSteps = 100_000
	// PromptWork is the maximum size of all values that the functions of a template return, in bytes.
	PromptWork = 64 << 20
)
