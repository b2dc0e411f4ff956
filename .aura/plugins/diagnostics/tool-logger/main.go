// Package tool_logger keeps a file of the tool calls of a session: two lines for each, one before and one after.
package tool_logger

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/sdk"
)

// dataDir is the plugin's own directory, once Init has been called.
var dataDir string

// Init learns where the plugin may keep files.
func Init(cfg sdk.ToolConfig) {
	dataDir = cfg.DataDir
}

// BeforeToolExecution logs the call with its arguments.
func BeforeToolExecution(_ context.Context, hctx sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	args, err := json.Marshal(hctx.Arguments)
	if err != nil {
		return sdk.BeforeToolResult{}, fmt.Errorf("encoding the arguments of %s: %w", hctx.ToolName, err)
	}
	return sdk.BeforeToolResult{}, log(hctx.Context, "call   "+hctx.ToolName+" "+string(args))
}

// AfterToolExecution logs what came of it, and how long it took.
func AfterToolExecution(_ context.Context, hctx sdk.AfterToolContext) (sdk.Result, error) {
	kind, text := "result", hctx.ToolResult
	if hctx.ToolError != "" {
		kind, text = "error ", hctx.ToolError
	}
	line := fmt.Sprintf("%s %s %s %s", kind, hctx.ToolName, hctx.ToolDuration, shorten(text, maxResult(hctx.PluginConfig)))
	return sdk.Result{}, log(hctx.Context, line)
}

// log appends one line. The file is opened for each, so that it may be moved away at any time.
func log(c sdk.Context, line string) error {
	path := logPath(c)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the log directory: %w", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	_, err = file.WriteString(time.Now().Format(time.RFC3339) + " " + line + "\n")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing the log: %w", err)
	}
	return nil
}

func logPath(c sdk.Context) string {
	path, _ := c.PluginConfig["path"].(string)
	switch {
	case filepath.IsAbs(path):
		return path
	case path != "":
		return filepath.Join(c.Workdir, path)
	case dataDir != "":
		return filepath.Join(dataDir, "tool-logger.log")
	default:
		return filepath.Join(os.TempDir(), "tool-logger.log")
	}
}

func maxResult(config map[string]any) int {
	if v, ok := config["max_result"].(int); ok && v > 0 {
		return v
	}
	return 4000
}

// shorten quotes a text, so that it stays on one line, and says how much of a long one is missing.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q and %d bytes more", text[:limit], len(text)-limit)
}
