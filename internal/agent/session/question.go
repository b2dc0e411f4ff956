package session

import (
	"encoding/json"
	"time"
)

// Question is a question of a session that runs, which waits for an answer of its user. Its texts have no secrets. They come from models, plugins
// and files: who shows them names control characters.
type Question struct {
	// ID names the question. No other question ever has it.
	ID   string       `json:"id"`
	Kind QuestionKind `json:"kind"`
	// Since is when the question was asked.
	Since time.Time `json:"since"`
	// Tool is the tool of a call, or who asks.
	Tool string `json:"tool"`
	// Arguments are those of a call, unless Changes say what it does.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// About is what is asked, beside Tool and Arguments. Why has a line for each further fact.
	About string   `json:"about,omitempty"`
	Why   []string `json:"why,omitempty"`
	// Changes is a unified diff of all that the call would change in files.
	Changes string `json:"changes,omitempty"`
	// Cut is set if the texts are too long to be reported whole. The question can then only be refused from outside.
	Cut bool `json:"cut,omitempty"`
	// Answers are the possible answers, of which the last one refuses.
	Answers []QuestionAnswer `json:"answers"`
}

// QuestionAnswer is a possible answer to a question.
type QuestionAnswer struct {
	// Value names the answer in a request. Title is for people.
	Value string `json:"value"`
	Title string `json:"title"`
	// Pattern describes which other calls the answer approves, and Covers says it in words.
	Pattern string `json:"pattern,omitempty"`
	Covers  string `json:"covers,omitempty"`
}

// QuestionKind is what a question is about.
type QuestionKind string

// The kinds of questions.
const (
	// QuestionCall asks whether a tool call may run.
	QuestionCall QuestionKind = "call"
	// QuestionNetwork asks whether a program may connect to a host, and QuestionPath whether a call may use a path, beyond the sandbox.
	QuestionNetwork QuestionKind = "network"
	QuestionPath    QuestionKind = "path"
	// QuestionPlan asks whether to accept a text of the model.
	QuestionPlan QuestionKind = "plan"
	// QuestionServer is a question of an MCP server.
	QuestionServer QuestionKind = "server"
)
