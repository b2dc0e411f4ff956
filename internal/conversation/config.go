package conversation

import (
	"time"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/sdk"
)

const (
	// DefaultMaxSteps limits the turns of one interaction.
	DefaultMaxSteps = 50
	// DefaultKeepLast is how many of the last messages a compaction leaves as they are.
	DefaultKeepLast = 10
)

// Journal keeps what enters the history.
type Journal interface {
	Append(m llm.Message) error
}

// Compactor is a Journal that keeps compactions too. From then on the history is a message of role user with the summary
// as its text, followed by the last kept messages that were appended.
type Compactor interface {
	Compacted(summary string, kept int) error
}

// Config is all that a conversation needs. Only the persona's Provider is required.
type Config struct {
	// Persona is who answers first. Its limits and its compaction hold for later personas that set none.
	Persona

	Hooks   pipeline.Source
	Journal Journal
	Workdir string
	// Auto and Done are what SetAuto and SetDone change.
	Auto, Done bool
	// Todos is the list that the agent's tools keep; nil for none.
	Todos *todo.List
	// TodosKnown says that Todos is as the earlier conversation left it. Otherwise, if it is empty, it follows from History.
	TodosKnown bool
	Vars       map[string]string
	SessionID  string
	// Surroundings is asked at every snapshot, from any goroutine; nil if there is nothing to tell.
	Surroundings func() Surroundings

	// History is what an earlier conversation left, to go on from. Calls without a result are given one.
	History []llm.Message
	// Waiting is what the earlier conversation had for its next model call.
	Waiting Waiting
	// Stats is what the earlier conversation had counted. If it is nil, it is counted from History as far as that goes.
	Stats *sdk.Stats
	// Models is what the earlier conversation had used of each model.
	Models []ModelUse

	// Emit is called from one goroutine at a time, in the order of what happens.
	Emit func(event.Event)
	// Now is for tests; nil means time.Now. It may be called from several goroutines.
	Now func() time.Time
}

// Surroundings is what plugins are told and the conversation itself does not know.
type Surroundings struct {
	// Features is all but CompactionEnabled, which is the conversation's own.
	Features sdk.FeatureState
	// SessionID takes the place of Config.SessionID if it is not empty.
	SessionID    string
	SessionTitle string
	LoadedTools  []string
	MCPServers   []string
	// Vars takes the place of Config.Vars if it is not nil.
	Vars map[string]string
}

// Compaction says when and how a history that has grown too long is put into fewer words. The zero value does so only when
// asked to, or when the model's window is exceeded.
type Compaction struct {
	// Threshold is the share of the window, in percent, from which on the history is compacted before a model call.
	Threshold float64
	// MaxTokens, if positive, is a number of tokens that takes the place of Threshold.
	MaxTokens int
	// KeepLast is how many of the last messages stay as they are. Zero means DefaultKeepLast, less than zero none.
	KeepLast int
	// By writes the summary; nil leaves it to the current agent's model.
	By *Persona
	// Prompt tells the model how to summarise. Empty means By's system prompt, or aura's own.
	Prompt string
}

// enabled reports whether the history is compacted before it is too long for the model.
func (c Compaction) enabled() bool { return c.Threshold > 0 || c.MaxTokens > 0 }

func (c Compaction) keep() int {
	if c.KeepLast == 0 {
		return DefaultKeepLast
	}
	return max(c.KeepLast, 0)
}
