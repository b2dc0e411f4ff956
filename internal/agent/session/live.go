package session

import "time"

// Live is the state of a session that runs, as the session reports it to other processes.
type Live struct {
	ID string `json:"id"`
	// Pid is the process of the session.
	Pid      int    `json:"pid"`
	Workdir  string `json:"workdir"`
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Title    string `json:"title,omitempty"`

	State Activity `json:"state"`
	// For is what the session waits for: the tool that runs or that needs an approval, or several of them.
	For []string `json:"for,omitempty"`
	// Since is when State began.
	Since time.Time `json:"since"`
	// Turn is the number of the last model call.
	Turn int `json:"turn"`
	// Context is the estimated number of tokens of the next request, and Limit the size of the model's context; 0 if it is not known.
	Context int `json:"context"`
	Limit   int `json:"context_limit"`
	// Percent is Context as a share of Limit, from 0 to 100.
	Percent   float64 `json:"context_percent"`
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	// CostUSD is nil if a price is not known.
	CostUSD *float64 `json:"cost_usd"`
	// Questions are what waits for an answer of the user, the oldest first.
	Questions []Question `json:"questions,omitempty"`
}

// Activity is what a session does.
type Activity string

// The activities of a session.
const (
	// ActivityIdle means that the session waits for its user.
	ActivityIdle Activity = "idle"
	// ActivityModel means that the session waits for its model.
	ActivityModel Activity = "model"
	// ActivityTool means that tools run.
	ActivityTool Activity = "tool"
	// ActivityApproval means that a call waits for the answer of the user.
	ActivityApproval Activity = "approval"
	// ActivityCompaction means that the session waits for a summary of its history.
	ActivityCompaction Activity = "compaction"
	// ActivityWork means that aura itself or its plugins work.
	ActivityWork Activity = "work"
)
