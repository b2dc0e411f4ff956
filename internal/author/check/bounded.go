package check

import (
	"fmt"
	"path/filepath"
	"runtime/metrics"
	"time"
)

const (
	// MaxTime is the maximum time for checking a plugin.
	MaxTime = time.Minute
	// MaxMemory is by how much aura's memory may grow during the check, in bytes.
	MaxMemory = 1 << 30
	// watchEvery is how often the memory is measured.
	watchEvery = 20 * time.Millisecond
)

// Dir checks the plugin in a directory. Dir needs no Go toolchain, runs no code of the plugin, never panics and returns soon after MaxTime,
// whatever the directory holds. The findings are sorted by position.
func Dir(dir string, o Options) []Finding {
	return within(limits{MaxTime, MaxMemory}, dir, o)
}

// limits is what a check may use.
type limits struct {
	time   time.Duration
	memory uint64
}

// within checks a plugin within limits. A few lines of valid Go can stand for types of any size, and the type checker cannot be stopped.
// Beyond a limit, the check is abandoned. It then ends with the process.
func within(l limits, dir string, o Options) []Finding {
	type result struct {
		found []Finding
		tools []string
	}
	done := make(chan result, 1)
	tell := o.Tool
	go func() {
		var r result
		o.Tool = func(name string) { r.tools = append(r.tools, name) }
		r.found = inspect(dir, o)
		done <- r
	}()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	end := time.NewTimer(l.time)
	defer end.Stop()
	start := heap()
	for {
		select {
		case r := <-done:
			for _, name := range r.tools {
				if tell != nil {
					tell(name)
				}
			}
			return r.found
		case <-end.C:
			return abandoned(dir, fmt.Sprintf("checking it takes more than the limit of %s", l.time))
		case <-watch.C:
			if now := heap(); now > start+l.memory {
				return abandoned(dir, fmt.Sprintf("checking it takes more than the limit of %d MiB of memory", l.memory>>20))
			}
		}
	}
}

func abandoned(dir, why string) []Finding {
	return []Finding{{
		Plugin: filepath.Base(dir), File: dir, Severity: Error, Rule: "unknown", Message: why,
		Fix: "look for types that contain themselves many times, and declare named types for their parts",
	}}
}

// heap returns the size of the objects in memory, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
