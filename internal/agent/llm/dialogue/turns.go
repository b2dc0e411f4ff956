package dialogue

import "github.com/idelchi/aura/internal/agent/llm"

// Turn holds consecutive messages of one side. Tool results belong to the user's side and come first.
type Turn struct {
	// User is set for the user's side, and not for the model's.
	User     bool
	Messages []llm.Message
}

// Placeholders for the user's message where the service requires one and there is none.
const (
	opening = "(The conversation so far.)"
	goOn    = "Continue."
)

// Turns groups messages from Prepare into alternating turns. The first and the last turn are the user's.
func Turns(messages []llm.Message) []Turn {
	var turns []Turn
	add := func(m llm.Message) {
		user := m.Role != llm.RoleAssistant
		if n := len(turns); n > 0 && turns[n-1].User == user {
			turns[n-1].Messages = append(turns[n-1].Messages, m)
			return
		}
		turns = append(turns, Turn{User: user, Messages: []llm.Message{m}})
	}
	if len(messages) == 0 || messages[0].Role == llm.RoleAssistant {
		add(llm.Message{Role: llm.RoleUser, Content: opening})
	}
	for _, m := range messages {
		add(m)
	}
	if !turns[len(turns)-1].User {
		add(llm.Message{Role: llm.RoleUser, Content: goOn})
	}
	return turns
}
