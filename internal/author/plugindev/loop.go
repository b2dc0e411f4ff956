package plugindev

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Options say what happens while a plugin is developed.
type Options struct {
	// Changes are the saves, such as those of a Watcher. They end when the owner closes them.
	Changes <-chan Change
	// Check looks at saved files and reports whether they can be loaded. It runs beside Reload and Send.
	Check func(Change) bool
	// Reload makes what runs against the plugin use the saved files. It is not called while Send runs.
	Reload func(ctx context.Context) error
	// Line reads what the user types next. It returns io.EOF at the end. It may be nil, and it is not called while Send runs.
	Line func() (string, error)
	// Send takes a line, and reports whether the user asked to exit.
	Send func(ctx context.Context, line string) (exit bool, err error)
}

// Run serves saves and lines until ctx ends or the user asks to exit. The caller must close the source of Changes after Run. The
// end of input is not the end of Run. After a save that cannot be loaded, everything stays as it is.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	ready := make(chan struct{}, 1)
	group.Go(func() { o.check(ctx, ready) })
	type typed struct {
		text string
		err  error
	}
	var lines chan typed
	read := func() {
		// A read cannot be interrupted. If Run returns before the line, the read continues until the process ends.
		lines = make(chan typed, 1)
		go func(to chan<- typed) {
			text, err := o.Line()
			to <- typed{text, err}
		}(lines)
	}
	if o.Line != nil {
		read()
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ready:
			if err := o.Reload(ctx); err != nil {
				return err
			}
		case next := <-lines:
			lines = nil
			if errors.Is(next.err, io.EOF) {
				continue
			}
			if next.err != nil {
				return next.err
			}
			if exit, err := o.Send(ctx, next.text); exit || err != nil {
				return err
			}
			read()
		}
	}
}

// check checks each save. A save that can be loaded makes ready ready; one that cannot takes that back, because a reload would
// load the newest files.
func (o Options) check(ctx context.Context, ready chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case c, ok := <-o.Changes:
			if !ok {
				return
			}
			fine := o.Check(c)
			select {
			case <-ready:
			default:
			}
			if fine {
				ready <- struct{}{} // it has room: nobody else sends
			}
		}
	}
}
