package cli

import (
	"bufio"
	"context"
	"io"
	"sync"
	"time"
)

// restTime is how long no question is shown after one was withdrawn. The user may be typing the answer to that one.
const restTime = time.Second

// lineReader reads lines of a terminal: answers to questions, and prompts. A read from a terminal cannot be cancelled: when a question is withdrawn,
// its read stays, and gets the line of the next question. So everything that reads lines of a terminal needs the same reader. A line that nobody
// waits for is dropped.
type lineReader struct {
	mu sync.Mutex
	// reading is set while a goroutine reads.
	reading bool
	// question receives the next line, or else prompt; nil if nobody waits for an answer or for a prompt.
	question, prompt chan<- typed
	// lines belongs to the goroutine that reads.
	lines *bufio.Reader
	// withdrawn is when the last question was withdrawn.
	withdrawn time.Time
}

// typed is a line that the user typed.
type typed struct {
	text string
	err  error
}

// ask returns the next line as the answer to a question. One question is open at a time.
func (l *lineReader) ask(in io.Reader) <-chan typed { return l.next(in, &l.question) }

// next lets a waiter receive the next line.
func (l *lineReader) next(in io.Reader, waiter *chan<- typed) <-chan typed {
	line := make(chan typed, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	*waiter = line
	if !l.reading {
		l.reading = true
		if l.lines == nil {
			l.lines = bufio.NewReader(in)
		}
		l.lines.Reset(in)
		go l.read()
	}
	return line
}

// read reads lines as long as somebody waits for one.
func (l *lineReader) read() {
	for again := true; again; {
		text, err := l.lines.ReadString('\n')
		l.mu.Lock()
		waiter := &l.question
		if *waiter == nil {
			waiter = &l.prompt
		}
		if *waiter != nil {
			*waiter <- typed{text, err}
			*waiter = nil
		}
		again = l.prompt != nil
		l.reading = again
		l.mu.Unlock()
	}
}

// prompts returns a function that returns the next line for another use than a question.
func (l *lineReader) prompts(in io.Reader) func() (string, error) {
	return func() (string, error) {
		line := <-l.next(in, &l.prompt)
		if line.text != "" {
			return line.text, nil // an error comes again
		}
		return "", line.err
	}
}

// withdraw ends a question that nobody has answered.
func (l *lineReader) withdraw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.question, l.withdrawn = nil, time.Now()
}

// rest waits until the user has noticed that the last question was withdrawn.
func (l *lineReader) rest(ctx context.Context) error {
	l.mu.Lock()
	left := restTime - time.Since(l.withdrawn)
	l.mu.Unlock()
	if left <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(left):
		return nil
	}
}
