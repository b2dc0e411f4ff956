package interp

import (
	"fmt"
	"os"
	"sync"
)

var envMu sync.Mutex

// setEnv sets a task's variables in the environment of the process, which belongs to the plugin alone. The variables stay set.
// If the system has a second view of the environment, setEnv updates that view too.
func setEnv(env map[string]string) error {
	if len(env) == 0 {
		return nil
	}
	envMu.Lock()
	defer envMu.Unlock()
	changed := false
	for k, v := range env {
		//nolint:forbidigo // the environment of the child is the plugin's, not configuration of aura
		if old, ok := os.LookupEnv(k); ok && old == v {
			continue
		}
		if err := os.Setenv(k, v); err != nil {
			return fmt.Errorf("setting the task's variable %q: %w", k, err)
		}
		changed = true
	}
	if changed {
		publishEnv()
	}
	return nil
}
