// Package first makes the process use one processor, and a stack that is large enough, before other packages are initialised. It imports nothing but
// runtime and a package that imports nothing, so it comes before all packages whose path follows its own or that import others. With several
// processors, goroutines that these packages start make the runtime start threads, and each processor has caches of its own to fill.
package first

import (
	"runtime"

	"github.com/idelchi/aura/internal/base/stack"
)

// Processors is the number of processors on which the process may run. It does not regard limits of a container.
var Processors = runtime.GOMAXPROCS(1)

func init() { stack.Grow() }
