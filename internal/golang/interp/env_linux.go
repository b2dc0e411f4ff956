package interp

import (
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// published is the memory that the kernel shows as the environment of this process. It is nil until the environment changes.
var published []byte

// memoryMap is the kernel's struct prctl_mm_map.
type memoryMap struct {
	startCode, endCode, startData, endData, startBrk, brk, startStack uint64
	argStart, argEnd, envStart, envEnd                                uint64
	auxv                                                              uintptr
	auxvSize, exeFD                                                   uint32
}

// publishEnv makes /proc/self/environ agree with os.Environ by pointing the kernel to a copy. If the kernel lacks this call or
// a sandbox forbids it, the view from the start of the process remains. It contains no more than the plugin was granted at that
// time.
func publishEnv() {
	m, ok := currentMap()
	if !ok {
		return
	}
	//nolint:forbidigo // the environment of the child is the plugin's, not configuration of aura
	text := strings.Join(os.Environ(), "\x00") + "\x00"
	block, err := unix.Mmap(-1, 0, len(text), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return
	}
	copy(block, text)
	m.envStart = uint64(uintptr(unsafe.Pointer(&block[0])))
	m.envEnd = m.envStart + uint64(len(text))
	if err := unix.Prctl(unix.PR_SET_MM, unix.PR_SET_MM_MAP, uintptr(unsafe.Pointer(&m)), unsafe.Sizeof(m), 0); err != nil {
		_ = unix.Munmap(block)
		return
	}
	if published != nil {
		_ = unix.Munmap(published)
	}
	published = block
}

// currentMap returns the current memory map, whose other fields must be passed back unchanged.
func currentMap() (memoryMap, bool) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return memoryMap{}, false
	}
	// The command name in parentheses may contain any characters. The text after it begins with field 3 of proc(5).
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const first, last = 3, 51
	if len(fields) <= last-first {
		return memoryMap{}, false
	}
	failed := false
	field := func(n int) uint64 {
		v, err := strconv.ParseUint(fields[n-first], 10, 64)
		failed = failed || err != nil
		return v
	}
	brk, _, _ := unix.Syscall(unix.SYS_BRK, 0, 0, 0)
	m := memoryMap{
		startCode: field(26), endCode: field(27), startStack: field(28),
		startData: field(45), endData: field(46), startBrk: field(47), brk: uint64(brk),
		argStart: field(48), argEnd: field(49), envStart: field(50), envEnd: field(51),
		exeFD: ^uint32(0),
	}
	return m, !failed && m.startCode != 0
}
