package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

// main attacks, or is the bomb of Bash: processes are what the kernel counts, and threads are the cheapest of them.
func main() {
	if len(os.Args) == 3 && os.Args[1] == "bomb" {
		threads(os.Args[2])
		return
	}
	if err := attackAll(awaitScene(), "bash"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// threads starts as many threads, all of which live at the same time. The runtime gives up if it gets one less.
func threads(count string) {
	n, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	debug.SetMaxThreads(2 * n)
	started := make(chan bool)
	for i := 0; i < n; i++ {
		go func() {
			runtime.LockOSThread()
			started <- true
			_ = syscall.Nanosleep(&syscall.Timespec{Sec: int64(time.Minute.Seconds())}, nil)
		}()
	}
	for i := 0; i < n; i++ {
		<-started
	}
	fmt.Println("all threads live")
}
