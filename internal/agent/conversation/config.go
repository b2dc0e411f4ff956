package conversation

import (
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

const (
	// DefaultMaxSteps is the largest number of turns in one interaction.
	DefaultMaxSteps = 50
	// DefaultKeepLast is how many of the last messages a compaction keeps unchanged.
	DefaultKeepLast = 10
)

// Journal saves the history of a conversation, and what is pending for its next model call.
type Journal interface {
	// Append saves a message that enters the history.
	Append(m llm.Message) error
	// Compacted saves a compaction. After it, the history is a message of role user with the summary as its text, followed by the
	// last kept messages that were appended.
	Compacted(summary string, kept int) error
	// Detached saves that a prompt lost its files. After that, the history consists of the first kept messages and the rest.
	Detached(kept int, rest []llm.Message) error
	// Waiting saves what is pending for the next model call. Each value replaces the previous one.
	Waiting(w Waiting) error
}

// unsaved is the Journal of a conversation that is not saved.
type unsaved struct{}

func (unsaved) Append(llm.Message) error          { return nil }
func (unsaved) Compacted(string, int) error       { return nil }
func (unsaved) Detached(int, []llm.Message) error { return nil }
func (unsaved) Waiting(Waiting) error             { return nil }

// Config configures a conversation. Only the persona's Provider is required.
type Config struct {
	// Persona answers first. Its limits and its compaction settings apply to later personas that set none.
	Persona

	Hooks pipeline.Source
	// Lead is the conversation whose agent sends the prompts; nil for the user's. Shell hooks then see the begin and the end of a
	// subagent. Lead is charged for all usage at once, and no model is called after its token budget is used up.
	Lead *Conversation
	// Journal may be nil; then the conversation is not saved.
	Journal Journal
	Workdir string
	// Auto and Done are the initial modes; SetAuto and SetDone change them.
	Auto, Done bool
	// Todos is the list that the agent's tools maintain; nil for none.
	Todos *todo.List
	// TodosKnown reports that Todos is in the state in which the earlier conversation left it. If it is false and Todos is
	// empty, Todos is rebuilt from History.
	TodosKnown bool
	Vars       map[string]string
	SessionID  string
	// Surroundings is called at every snapshot, from any goroutine. It may be nil.
	Surroundings func() Surroundings

	// History holds the messages of an earlier conversation, to continue from. Calls without a result are given one.
	History []llm.Message
	// Waiting holds what the earlier conversation had saved for its next model call.
	Waiting Waiting
	// Stats holds the counts of the earlier conversation. If it is nil, the counts are derived from History as far as possible.
	Stats *sdk.Stats
	// Models holds the model usage of the earlier conversation.
	Models []ModelUse

	// Tape receives what the conversation depends on, so that it can be repeated; nil for nobody.
	Tape Tape
	// Replaced receives the text with which plugins replaced the result of a tool; nil for nobody.
	Replaced func(tool, result, text string)
	// Notes returns what the model should learn before its next answer; nil for nothing. The next call does not return it again.
	Notes func() []string
	// Emit is called from one goroutine at a time, in the order of the events.
	Emit func(event.Event)
	// Now replaces time.Now in tests; nil means time.Now. It may be called from several goroutines.
	Now func() time.Time
}

// Tape receives what a conversation depends on besides its plugins. Its methods must not wait.
type Tape interface {
	// Prompt receives a prompt as the user wrote it.
	Prompt(text string)
	// Answer receives the answer of a model, or its error.
	Answer(response llm.Response, err error)
	// Result receives the result of a tool call before plugins see it, also of a call that was refused, unless a plugin refused it.
	Result(name string, args map[string]any, output string, err error)
}

// Surroundings is the state that plugins receive but the conversation itself does not know.
type Surroundings struct {
	// Features holds all features except CompactionEnabled, which the conversation sets.
	Features sdk.FeatureState
	// SessionID replaces Config.SessionID if it is not empty.
	SessionID    string
	SessionTitle string
	LoadedTools  []string
	MCPServers   []string
	// Vars replaces Config.Vars if it is not nil.
	Vars map[string]string
}

// Compaction configures when and how a history that has grown too long is summarised. With the zero value, the history is
// compacted only on request, or when the model's window is exceeded.
type Compaction struct {
	// Threshold is the share of the window, in percent, at which the history is compacted before a model call.
	Threshold float64
	// MaxTokens, if positive, is a number of tokens that replaces Threshold.
	MaxTokens int
	// KeepLast is how many of the last messages are kept unchanged. Zero means DefaultKeepLast, a negative value means none.
	KeepLast int
	// By writes the summary; nil means the current agent's model.
	By *Persona
	// Prompt instructs the model how to summarise. If it is empty, By's system prompt is used, or else aura's own.
	Prompt string
}

// enabled reports whether the history is compacted before it becomes too long for the model.
func (c Compaction) enabled() bool { return c.Threshold > 0 || c.MaxTokens > 0 }

func (c Compaction) keptMessages() int {
	if c.KeepLast == 0 {
		return DefaultKeepLast
	}
	return max(c.KeepLast, 0)
}
