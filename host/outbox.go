package host

import "sync"

// maxLines is how many lines of a plugin's log wait for the session. A session that does not read them must not keep the plugin from writing.
const maxLines = 1000

// outbox hands what happens to a plugin to the session: in order, one at a time, and without any lock of the host, because the session may
// take long. Notices and states are few, or a call waits for them; see flush. Lines of the log are dropped if too many wait.
type outbox struct {
	mu    sync.Mutex
	queue []report
	// lines is how many reports of the queue are lines, and dropped how many lines were dropped since the last one.
	lines, dropped int
	// busy is set while a goroutine delivers.
	busy bool
}

// report is something that happened to a plugin.
type report struct {
	deliver func()
	line    bool
}

// post adds a report.
func (o *outbox) post(deliver func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(report{deliver: deliver})
}

// postLine adds a line of the log. left delivers how many lines were dropped before it.
func (o *outbox) postLine(deliver func(), left func(n int)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lines >= maxLines {
		o.dropped++
		return
	}
	if n := o.dropped; n > 0 {
		o.dropped = 0
		o.add(report{deliver: func() { left(n) }})
	}
	o.lines++
	o.add(report{deliver: deliver, line: true})
}

// add adds a report to the queue, and starts the delivery if it is not running. The caller holds the lock.
func (o *outbox) add(r report) {
	o.queue = append(o.queue, r)
	if !o.busy {
		o.busy = true
		go o.deliver()
	}
}

// deliver delivers reports until there are none.
func (o *outbox) deliver() {
	for {
		o.mu.Lock()
		if len(o.queue) == 0 {
			o.busy, o.queue = false, nil
			o.mu.Unlock()
			return
		}
		next := o.queue[0]
		o.queue = o.queue[1:]
		if next.line {
			o.lines--
		}
		o.mu.Unlock()
		next.deliver()
	}
}

// flush waits until everything that was added before is delivered. No lock of the host may be held.
func (o *outbox) flush() {
	o.mu.Lock()
	if !o.busy {
		o.mu.Unlock()
		return
	}
	delivered := make(chan struct{})
	o.add(report{deliver: func() { close(delivered) }})
	o.mu.Unlock()
	<-delivered
}
