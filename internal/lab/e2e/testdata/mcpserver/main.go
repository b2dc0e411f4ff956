// Mcpserver is an MCP server on standard input and output for scripts. Each argument is TOOL=COMMAND, or TOOL:PARAMETER=COMMAND for a tool that
// needs a text. A call of the tool runs the command in a shell, with the line of the request on its standard input, and answers with the output
// of the command. If the output begins with [, it is the content of the answer as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

type object map[string]any

func main() {
	tools, commands := []object{}, map[string]string{}
	for _, arg := range os.Args[1:] {
		name, command, _ := strings.Cut(arg, "=")
		name, parameter, needed := strings.Cut(name, ":")
		schema := object{"type": "object"}
		if needed {
			schema = object{"type": "object", "properties": object{parameter: object{"type": "string"}}, "required": []string{parameter}}
		}
		tools = append(tools, object{"name": name, "description": "Runs " + name, "inputSchema": schema})
		commands[name] = command
	}
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var request struct {
			ID     *json.RawMessage `json:"id"`
			Method string           `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil || request.ID == nil {
			continue // a notification
		}
		result := object{}
		switch request.Method {
		case "initialize":
			result = object{"protocolVersion": "2025-06-18", "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "mcpserver", "version": "1"}}
		case "tools/list":
			result = object{"tools": tools}
		case "tools/call":
			result = object{"content": content(run(commands[request.Params.Name], lines.Text()))}
		}
		if err := answers.Encode(object{"jsonrpc": "2.0", "id": request.ID, "result": result}); err != nil {
			return
		}
	}
}

func content(output string) any {
	if strings.HasPrefix(output, "[") {
		return json.RawMessage(output)
	}
	return []object{{"type": "text", "text": output}}
}

func run(command, request string) string {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdin = strings.NewReader(request + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s%v", out, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}
