// Package first makes the process use one processor before other packages are initialised. It imports nothing but runtime, so it comes before all
// packages whose path follows its own or that import others. With several processors, goroutines that these packages start make the runtime start
// threads, and each processor has caches of its own to fill.
package first

import "runtime"

// Processors is the number of available processors.
var Processors = runtime.GOMAXPROCS(1)
