package hookpoint

import "github.com/idelchi/aura/sdk"

// Outcome is what all handlers of a hook point want together. The zero value wants nothing. Fields that do not belong to
// the point are never set.
type Outcome struct {
	// Injections are the messages for the history, in the order of the handlers.
	Injections []Injection
	// Notices are for the user's eyes only.
	Notices []Notice
	// DisableTools are patterns of tool names, each once.
	DisableTools []string
	// Prompt replaces the user's prompt if it is not nil.
	Prompt *string
	// DisabledBy is the first handler that named a pattern, by pattern.
	DisabledBy map[string]string
	// Output replaces a tool's result if it is not nil.
	Output *string
	// Request belongs to BeforeChat. Its AppendSystem is the text of all handlers, or nil.
	Request sdk.RequestModification
	// Response belongs to AfterResponse.
	Response sdk.ResponseModification
	// Error belongs to OnError.
	Error sdk.ErrorModification
	// Compaction belongs to BeforeCompaction.
	Compaction sdk.CompactionModification
	// Arguments, if not nil, replace a tool call's, and ChangedBy names the last handler that changed them.
	Arguments map[string]any
	ChangedBy string
	// Messages, if not nil, replace those of a request.
	Messages []sdk.Message
	// Folded is what the row of a point folds that none of the other fields holds.
	Folded any
	// Changes names the handlers, in their order, that changed the arguments or the text that they were given, each once.
	Changes []string
	// Block is not nil if what the point precedes, such as a tool call, must not happen.
	Block *Block
}

// BlockBy adds a handler to those that block.
func (o *Outcome) BlockBy(handler string) {
	if o.Block == nil {
		o.Block = &Block{}
	}
	o.Block.By = append(o.Block.By, handler)
}

// Injection is a message that a handler adds to the history.
type Injection struct {
	Handler string
	Role    sdk.Role
	// Content has the handler's prefix in front.
	Content string
	// Eject sends the message with one model call only.
	Eject bool
}

// Notice is a text for the user that no model sees.
type Notice struct {
	Handler string
	Text    string
}

// Block says why something must not happen.
type Block struct {
	// By names the handlers that block, in their order.
	By []string
	// Message is the first message of all handlers, blocking or not. It may be empty.
	Message string
}

// Verdict is what one handler returned, whatever the type of its result.
type Verdict struct {
	Handler string
	// Changed says that the handler changed the arguments or the text that it was given. Only chained points know.
	Changed bool
	// Result lies within the returned value. It is empty where the point's type has none.
	*sdk.Result

	// returned points to a value of the point's result type.
	returned any
}
