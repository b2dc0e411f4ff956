package acp

import "encoding/json"

// version is the version of the protocol.
const version = 1

// message is a line of the protocol: a request, a notification or a response.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// implementation names a program.
type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type initializeRequest struct {
	ProtocolVersion *int               `json:"protocolVersion"`
	Capabilities    clientCapabilities `json:"clientCapabilities"`
	ClientInfo      *implementation    `json:"clientInfo"`
}

// clientCapabilities is what a client can do, of what aura uses.
type clientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Session *struct {
		Notices    *struct{} `json:"notices"`
		Compaction *struct{} `json:"compaction"`
	} `json:"session"`
	Elicitation *struct {
		Form *struct{} `json:"form"`
	} `json:"elicitation"`
}

func (c clientCapabilities) notices() bool { return c.Session != nil && c.Session.Notices != nil }

func (c clientCapabilities) compaction() bool { return c.Session != nil && c.Session.Compaction != nil }

func (c clientCapabilities) forms() bool { return c.Elicitation != nil && c.Elicitation.Form != nil }

type initializeResponse struct {
	ProtocolVersion int               `json:"protocolVersion"`
	Capabilities    agentCapabilities `json:"agentCapabilities"`
	AgentInfo       implementation    `json:"agentInfo"`
	AuthMethods     []authMethod      `json:"authMethods"`
}

// authMethod is how the user gets what aura needs before it can begin a session.
type authMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type authenticateRequest struct {
	MethodID string `json:"methodId"`
}

type agentCapabilities struct {
	LoadSession bool `json:"loadSession"`
	Prompt      struct {
		Image           bool `json:"image"`
		Audio           bool `json:"audio"`
		EmbeddedContext bool `json:"embeddedContext"`
	} `json:"promptCapabilities"`
	MCP struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	} `json:"mcpCapabilities"`
	Session struct {
		Close  struct{} `json:"close"`
		List   struct{} `json:"list"`
		Resume struct{} `json:"resume"`
	} `json:"sessionCapabilities"`
}

// openRequest opens a session: the parameters of session/new, session/load and session/resume.
type openRequest struct {
	SessionID             string      `json:"sessionId"`
	Cwd                   string      `json:"cwd"`
	AdditionalDirectories []string    `json:"additionalDirectories"`
	Servers               []mcpServer `json:"mcpServers"`
}

// mcpServer is an MCP server that the client passes. A server without a type is a program.
type mcpServer struct {
	Type    string      `json:"type"`
	Name    string      `json:"name"`
	Command string      `json:"command"`
	Args    []string    `json:"args"`
	Env     []nameValue `json:"env"`
	URL     string      `json:"url"`
	Headers []nameValue `json:"headers"`
}

type nameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type openResponse struct {
	SessionID     string         `json:"sessionId,omitempty"`
	Modes         *modeState     `json:"modes,omitempty"`
	ConfigOptions []configOption `json:"configOptions"`
}

type modeState struct {
	CurrentModeID  string        `json:"currentModeId"`
	AvailableModes []sessionMode `json:"availableModes"`
}

type sessionMode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// configOption is a setting of a session with a list of values.
type configOption struct {
	Type         string        `json:"type"`
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Description  string        `json:"description,omitempty"`
	Category     string        `json:"category,omitempty"`
	CurrentValue string        `json:"currentValue"`
	Options      []configValue `json:"options"`
}

type configValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type listRequest struct {
	Cwd    string `json:"cwd"`
	Cursor string `json:"cursor"`
}

type listResponse struct {
	Sessions   []sessionInfo `json:"sessions"`
	NextCursor string        `json:"nextCursor,omitempty"`
}

type sessionInfo struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Title     string `json:"title,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
}

// sessionRequest holds the parameters of the methods of an open session.
type sessionRequest struct {
	SessionID string         `json:"sessionId"`
	Prompt    []contentBlock `json:"prompt"`
	ModeID    string         `json:"modeId"`
	ConfigID  string         `json:"configId"`
	Value     any            `json:"value"`
}

type promptResponse struct {
	StopReason string `json:"stopReason"`
	Meta       meta   `json:"_meta,omitempty"`
}

// The reasons why a turn ended.
const (
	stopEnd       = "end_turn"
	stopTokens    = "max_tokens"
	stopRequests  = "max_turn_requests"
	stopRefusal   = "refusal"
	stopCancelled = "cancelled"
)

// meta is data beside the protocol. The key "aura" holds aura's own.
type meta map[string]any

// contentBlock is a text, an image, a link or an embedded resource.
type contentBlock struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	// Data is an image in base64.
	Data     string    `json:"data,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	Name     string    `json:"name,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Resource *resource `json:"resource,omitempty"`
}

// resource is a file that the client sends with its content.
type resource struct {
	URI  string  `json:"uri"`
	Text *string `json:"text,omitempty"`
	// Blob is in base64.
	Blob     *string `json:"blob,omitempty"`
	MimeType string  `json:"mimeType,omitempty"`
}

func textBlock(text string) *shownText { return &shownText{Type: "text", Text: text} }

// shownText is a text that the client shows. Unlike in contentBlock, an empty text is written.
type shownText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}
