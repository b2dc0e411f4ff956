package exact

import "runtime"

// largeText is the size of a text, in bytes, of which a plugin's memory can hold only a few.
const largeText = 8 << 20

// MakeRoom frees unused memory before size bytes are allocated, if that is much. A collection that runs beside the allocation may end too
// late: the process dies when it reaches the memory limit.
func MakeRoom(size int) {
	if size >= largeText {
		runtime.GC()
	}
}
