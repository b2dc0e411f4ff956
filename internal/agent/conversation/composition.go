package conversation

// Composition is what the context of the next model call consists of, in estimated tokens.
type Composition struct {
	// System is the system prompt, and Tools the descriptions of the offered tools.
	System, Tools int
	// Prompts are the user's messages, Answers those of the model with its calls, and Results those of tools. Added are the
	// messages that neither the user nor the model wrote, such as summaries and messages of plugins.
	Prompts, Answers, Results, Added int
}

// Composition returns what fills the context. The parts add up to the estimate of Context.
func (c *Conversation) Composition() Composition {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.window.composition()
}
