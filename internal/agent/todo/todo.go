// Package todo implements the todo list of an agent, and the tools with which the agent maintains it.
package todo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Status is the progress of an item.
type Status string

// The statuses of an item.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Item is one thing to do.
type Item struct {
	// ID is the position in the list, counted from 1.
	ID      int
	Content string
	Status  Status
}

// Counts holds the number of items of each status.
type Counts struct {
	Pending, InProgress, Completed int
}

// Total returns the number of all items.
func (c Counts) Total() int { return c.Pending + c.InProgress + c.Completed }

// Open returns the number of items that are not completed.
func (c Counts) Open() int { return c.Pending + c.InProgress }

// List is the todo list of one session. The zero value is an empty list. A nil *List is always empty. Its methods are safe for
// concurrent use.
type List struct {
	mu    sync.Mutex
	items []Item
}

// Set replaces all items. An empty status becomes pending. Set assigns new IDs.
func (l *List) Set(items []Item) error {
	if l == nil {
		return errors.New("making a list of todos: this session keeps none")
	}
	fresh := slices.Clone(items)
	for i := range fresh {
		fresh[i].ID = i + 1
		if fresh[i].Status == "" {
			fresh[i].Status = Pending
		}
		if strings.TrimSpace(fresh[i].Content) == "" {
			return fmt.Errorf("making a list of todos: item %d has no content", i+1)
		}
		if err := fresh[i].Status.check(); err != nil {
			return fmt.Errorf("making a list of todos: item %d: %w", i+1, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = fresh
	return nil
}

// Progress changes the status of an item.
func (l *List) Progress(id int, status Status) error {
	if err := status.check(); err != nil {
		return fmt.Errorf("changing todo %d: %w", id, err)
	}
	if l == nil {
		return fmt.Errorf("changing todo %d: this session keeps none", id)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if id < 1 || id > len(l.items) {
		if len(l.items) == 0 {
			return fmt.Errorf("changing todo %d: the list is empty; make one with %s", id, CreateName)
		}
		return fmt.Errorf("changing todo %d: there are only 1 to %d", id, len(l.items))
	}
	l.items[id-1].Status = status
	return nil
}

func (s Status) check() error {
	switch s {
	case Pending, InProgress, Completed:
		return nil
	default:
		return fmt.Errorf("status %q does not exist; use %s, %s or %s", s, Pending, InProgress, Completed)
	}
}

// Items returns the items. The caller owns the slice.
func (l *List) Items() []Item {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

// Counts returns the number of items of each status.
func (l *List) Counts() Counts {
	var c Counts
	for _, item := range l.Items() {
		switch item.Status {
		case InProgress:
			c.InProgress++
		case Completed:
			c.Completed++
		case Pending:
			c.Pending++
		}
	}
	return c
}

// String returns the list as text, one item per line.
func (l *List) String() string {
	items := l.Items()
	if len(items) == 0 {
		return "The list of todos is empty."
	}
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "%d. [%s] %s\n", item.ID, item.Status, item.Content)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
