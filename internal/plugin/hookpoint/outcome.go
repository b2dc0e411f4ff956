package hookpoint

import "github.com/idelchi/aura/sdk"

// Outcome is the combined request of all handlers of a hook point. The zero value requests nothing. Fields that do not belong
// to the point are never set.
type Outcome struct {
	// Injections are the messages for the history, in handler order.
	Injections []Injection
	// Notices are shown to the user only.
	Notices []Notice
	// DisableTools holds patterns of tool names, without duplicates.
	DisableTools []string
	// Prompt replaces the user's prompt if it is not nil.
	Prompt *string
	// DisabledBy maps each pattern to the first handler that named it.
	DisabledBy map[string]string
	// Output replaces a tool's result if it is not nil.
	Output *string
	// Request belongs to BeforeChat. Its AppendSystem is the combined text of all handlers, or nil. SkippedBy names the handlers that
	// skip the request.
	Request   sdk.RequestModification
	SkippedBy []string
	// Response belongs to AfterResponse.
	Response sdk.ResponseModification
	// Error belongs to OnError.
	Error sdk.ErrorModification
	// Compaction belongs to BeforeCompaction.
	Compaction sdk.CompactionModification
	// Arguments, if not nil, replaces the arguments of a tool call. ChangedBy names the last handler that changed them.
	Arguments map[string]any
	ChangedBy string
	// Messages, if not nil, replaces the messages of a request. Steps holds them as each handler left them, in handler order.
	Messages []sdk.Message
	Steps    []Step
	// Folded holds what the row of a point folds and no other field holds.
	Folded any
	// Changes names the handlers that changed the arguments or the text that they received, in handler order and without
	// duplicates.
	Changes []string
	// Block is not nil if what follows the point, such as a tool call, must not happen.
	Block *Block
}

// BlockBy adds a handler to the handlers that block.
func (o *Outcome) BlockBy(handler string) {
	if o.Block == nil {
		o.Block = &Block{}
	}
	o.Block.By = append(o.Block.By, handler)
}

// Step is the messages of a request as one handler left them.
type Step struct {
	Handler  string
	Messages []sdk.Message
}

// Injection is a message that a handler adds to the history.
type Injection struct {
	Handler string
	Role    sdk.Role
	// Content includes the handler's prefix.
	Content string
	// Eject sends the message with one model call only.
	Eject bool
}

// Notice is a text for the user. It is never sent to a model.
type Notice struct {
	Handler string
	Text    string
}

// Block is the reason why something must not happen.
type Block struct {
	// By names the handlers that block, in handler order.
	By []string
	// Message is the first message of any handler, whether it blocks or not. It may be empty.
	Message string
}

// Verdict is what one handler returned, independent of the type of its result.
type Verdict struct {
	Handler string
	// Changed reports that the handler changed the arguments or the text that it received. It is set at chained points only.
	Changed bool
	// Result points into the returned value. It is empty if the point's type has no sdk.Result.
	*sdk.Result

	// returned points to a value of the point's result type.
	returned any
}
