//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	commands["pluginpid"] = pluginPid
}

// pluginpid NAME FILE writes the process ID of a plugin in the only session of this script.
func pluginPid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pluginpid NAME FILE")
	}
	ts.Check(ts.Exec("aura", "plugins", "show", args[0], "--json"))
	pid, err := pidIn([]byte(ts.ReadFile("stdout")))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strconv.Itoa(pid)), 0o600))
}

// pidIn reads the process ID from the output of `aura plugins show --json`. There is none if no session runs the plugin.
func pidIn(shown []byte) (int, error) {
	var info struct {
		Processes []struct {
			Session string `json:"session"`
			Pid     int    `json:"pid"`
		} `json:"processes"`
	}
	if err := json.Unmarshal(shown, &info); err != nil {
		return 0, err
	}
	if len(info.Processes) != 1 || info.Processes[0].Session == "probe" || info.Processes[0].Pid == 0 {
		return 0, os.ErrProcessDone
	}
	return info.Processes[0].Pid, nil
}
