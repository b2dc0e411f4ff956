// Package gotify is a tool with which the model can reach a user who is not looking at the screen.
package gotify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/idelchi/aura/sdk"
)

// levels and their Gotify priorities, lowest first. From 4 on a phone makes a sound, from 8 on it insists.
var (
	levels     = []string{"debug", "info", "warn", "error"}
	priorities = []int{1, 4, 6, 8}
)

// Schema describes the tool to the model.
func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{
		Name:        "Gotify",
		Description: "Send a push notification to the user.",
		Usage:       "Use it for news that the user waits for: long work done, or a question that blocks you.",
		Parameters: sdk.ToolParameters{
			Type: "object",
			Properties: map[string]sdk.ToolProperty{
				"message": {Type: "string", Description: "Text of the notification"},
				"title":   {Type: "string", Description: "Title of the notification (default: aura)"},
				"level": {
					Type:        "string",
					Description: "How urgent it is (default: info)",
					Enum:        []any{"debug", "info", "warn", "error"},
				},
			},
			Required: []string{"message"},
		},
	}
}

// Execute sends the notification, unless its level is below GOTIFY_LOG_LEVEL. The environment is read at each call, since
// a task may change it.
func Execute(ctx context.Context, _ sdk.Context, args map[string]any) (string, error) {
	message, _ := args["message"].(string)
	if message == "" {
		return "", errors.New("message is missing")
	}
	level, err := rank(text(args, "level", "info"))
	if err != nil {
		return "", err
	}
	if lowest := os.Getenv("GOTIFY_LOG_LEVEL"); lowest != "" {
		least, err := rank(lowest)
		if err != nil {
			return "", fmt.Errorf("reading GOTIFY_LOG_LEVEL: %w", err)
		}
		if level < least {
			return fmt.Sprintf("not sent: %s is below %s", levels[level], levels[least]), nil
		}
	}
	err = send(ctx, map[string]any{
		"title":    text(args, "title", "aura"),
		"message":  message,
		"priority": priorities[level],
	})
	if err != nil {
		return "", err
	}
	return "sent", nil
}

func send(ctx context.Context, notification map[string]any) error {
	server, token := os.Getenv("GOTIFY_URL"), os.Getenv("GOTIFY_TOKEN")
	if server == "" || token == "" {
		return errors.New("GOTIFY_URL and GOTIFY_TOKEN must be set in the environment or in an env file")
	}
	body, err := json.Marshal(notification)
	if err != nil {
		return fmt.Errorf("encoding the notification: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(server, "/")+"/message", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Gotify-Key", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("sending the notification: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return fmt.Errorf("sending the notification: the server answered %s: %s", resp.Status, bytes.TrimSpace(reason))
	}
	return nil
}

// rank returns the position of a level, whatever its case.
func rank(name string) (int, error) {
	for i, level := range levels {
		if strings.EqualFold(name, level) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q is not a level: use one of %s", name, strings.Join(levels, ", "))
}

func text(args map[string]any, key, fallback string) string {
	if v, ok := args[key].(string); ok && v != "" {
		return v
	}
	return fallback
}
