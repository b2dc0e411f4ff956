package dialogue

import "github.com/idelchi/aura/internal/llm"

// Turn is what one side says before the other does. Tool results are of the user's side, and go first.
type Turn struct {
	// User tells the user's side from the model's.
	User     bool
	Messages []llm.Message
}

// What stands for a user who has said nothing where a service wants a word.
const (
	opening = "(The conversation so far.)"
	goOn    = "Continue."
)

// Turns groups messages from Prepare into turns that alternate, and that begin and end with the user's.
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
