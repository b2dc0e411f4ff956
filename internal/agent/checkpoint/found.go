package checkpoint

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// described returns an entry without its content. The type is 0 for what is not kept.
func described(name string, info fs.FileInfo) entry {
	e := entry{Path: name, Mode: info.Mode().Perm()}
	switch {
	case info.IsDir():
		e.Type = dir
		return e
	case info.Mode()&fs.ModeSymlink != 0:
		e.Type, e.Mode = link, 0
		return e
	case !info.Mode().IsRegular():
		return e
	}
	e.Type, e.Size, e.Modified = file, info.Size(), info.ModTime().UnixNano()
	e.Changed, e.Inode = identity(info)
	return e
}

// content reads a file if it may have changed.
func (l *look) content(at spot, base string, now entry) {
	old := l.index[now.Path]
	if old != nil && old.untouched(now) {
		now.Hash, now.Fresh = old.Hash, old.Fresh
		l.record(now)
		return
	}
	if now.Size > l.limits.File {
		l.leave(now.Path, fmt.Sprintf("it has more than %d MiB", l.limits.File>>20))
		l.keep(old)
		return
	}
	f, info, err := files.OpenBelow(at.root, base)
	if err != nil {
		if !isGone(err) {
			l.keepUnread(at, old, now.Path, err)
		}
		return
	}
	now = described(now.Path, info)
	data, err := io.ReadAll(io.LimitReader(f, l.limits.File+1))
	_ = f.Close()
	if err == nil && int64(len(data)) > l.limits.File {
		err = fmt.Errorf("it has more than %d MiB", l.limits.File>>20)
	}
	if err == nil {
		now.Hash, err = l.objects.put(data, l.limits.Total)
	}
	if err != nil {
		l.leave(now.Path, err.Error())
		l.keep(old)
		at.folder.partial = true
		return
	}
	now.Fresh = fresh(now.Modified, now.Changed, l.began) || int64(len(data)) != now.Size
	l.record(now)
}

// record records what a path is now.
func (l *look) record(now entry) {
	old := l.index[now.Path]
	if old != nil {
		old.seen = l.looks
		if old.same(&now) {
			// The same state at another time: only the index changes, and only this goroutine uses this entry.
			now.seen = l.looks
			*old = now
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = append(l.found, change{path: now.Path, was: old, made: &now})
}

// keep leaves the state of a path as it was known: it cannot be read, which does not mean that it is gone.
func (l *look) keep(old *entry) {
	if old != nil {
		old.seen = l.looks
	}
}

// keepUnread leaves the state of a path as it was known, because of an error. The path is looked at every time.
func (l *look) keepUnread(at spot, old *entry, name string, err error) {
	l.leave(name, cause(err))
	l.keep(old)
	at.folder.partial = true
}

// keepBelow leaves the state of everything below a directory as it was known.
func (l *look) keepBelow(name string) {
	for p, e := range l.index {
		if p == name || strings.HasPrefix(p, name+"/") {
			e.seen = l.looks
		}
	}
}
