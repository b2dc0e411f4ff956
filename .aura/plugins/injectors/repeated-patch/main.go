// Package repeated_patch notices a model that keeps patching the same file.
package repeated_patch

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/idelchi/aura/sdk"
)

// warned holds, for each file, the number of patches at the last warning, so that each patch is warned about once. Tools
// that run side by side may be followed by hooks that do, hence the mutex.
var (
	mu     sync.Mutex
	warned = map[string]int{}
)

// AfterToolExecution warns of every file that has reached the limit and was patched since the last warning.
func AfterToolExecution(_ context.Context, hctx sdk.AfterToolContext) (sdk.Result, error) {
	mu.Lock()
	defer mu.Unlock()
	limit := number(hctx.PluginConfig, "max_patches", 5)
	var files []string
	for file, count := range hctx.PatchCounts {
		if count >= limit && count > warned[file] {
			warned[file] = count
			files = append(files, fmt.Sprintf("%s (%d times)", file, count))
		}
	}
	if len(files) == 0 {
		return sdk.Result{}, nil
	}
	sort.Strings(files)
	return sdk.Result{
		Message: fmt.Sprintf(
			"Patched again and again: %s. Read the whole file, think the change through and make it in one patch.",
			strings.Join(files, ", ")),
		Role:   sdk.RoleUser,
		Prefix: "[repeated-patch] ",
		Eject:  true,
	}, nil
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
