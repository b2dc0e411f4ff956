package wire

// The methods of the service, as gRPC names them.
const (
	// MethodInvoke takes a Call and returns a Reply.
	MethodInvoke = "/aura.wire.v1.Plugin/Invoke"
	// MethodServe is a stream of Requests from the child, and of Answers to it.
	MethodServe = "/aura.wire.v1.Plugin/Serve"
)

// Call is one call of the plugin.
type Call struct {
	// Verb says what to do: load, hook, execute, paths, command or event.
	Verb string
	// Point is the hook point, for the verb hook.
	Point string
	Body  []byte
}

// Reply is the answer to a Call, or to a Request.
type Reply struct {
	Body []byte
	// Failure is set if the call failed inside the plugin; the child lives on.
	Failure *Failure
}

// Failure is how a call failed.
type Failure struct {
	// Kind is error, panic, goexit, load or unsupported.
	Kind string
	// Message need not be UTF-8.
	Message []byte
}

// Request is what a plugin asks of aura.
type Request struct {
	// ID is chosen by the child, above 0.
	ID uint64
	// Verb says what to do: emit, listen or state.
	Verb string
	Body []byte
}

// Answer is the answer to a Request. ID 0 opens the stream.
type Answer struct {
	ID    uint64
	Reply *Reply
}
