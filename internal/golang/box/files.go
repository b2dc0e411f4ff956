package box

import (
	"io"
	"io/fs"
)

// Package fs and those that take an fs.FS ask file systems and files for more methods than their interfaces have.
type (
	// fileSystem has all of them. One that the value does not have does what package fs does without it.
	fileSystem struct {
		IValue any
		fs.FS

		value Value
	}
	// plainFS hides them.
	plainFS struct{ fs.FS }

	directory struct {
		IValue any
		fs.File
		readDir
	}
	seekable struct {
		IValue any
		fs.File
		seek
	}
	seekableDirectory struct {
		IValue any
		fs.File
		readDir
		seek
	}

	readDir func(int) ([]fs.DirEntry, error)
	seek    func(int64, int) (int64, error)
)

// ReadDir calls the function.
func (r readDir) ReadDir(n int) ([]fs.DirEntry, error) { return r(n) }

// Seek calls the function.
func (s seek) Seek(offset int64, whence int) (int64, error) { return s(offset, whence) }

// fileMethods returns a file with the further methods that it has.
func fileMethods(b Value, wrapped any) any {
	f, ok := wrapped.(fs.File)
	if !ok {
		return wrapped
	}
	list, lists := b.method("ReadDir").(func(int) ([]fs.DirEntry, error))
	move, moves := b.method("Seek").(func(int64, int) (int64, error))
	switch _, seeks := wrapped.(io.Seeker); {
	case seeks: // it has its methods already
	case lists && moves:
		return seekableDirectory{open(wrapped), f, list, move}
	case lists:
		return directory{open(wrapped), f, list}
	case moves:
		return seekable{open(wrapped), f, move}
	}
	return wrapped
}

// fileSystemMethods returns a file system with the further methods.
func fileSystemMethods(b Value, wrapped any) any {
	if f, ok := wrapped.(fs.FS); ok {
		return fileSystem{open(wrapped), f, b}
	}
	return wrapped
}

// ReadFile is the method of fs.ReadFileFS.
func (f fileSystem) ReadFile(name string) ([]byte, error) {
	if own, ok := f.value.method("ReadFile").(func(string) ([]byte, error)); ok {
		return own(name)
	}
	return fs.ReadFile(plainFS{f.FS}, name)
}

// ReadDir is the method of fs.ReadDirFS.
func (f fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	if own, ok := f.value.method("ReadDir").(func(string) ([]fs.DirEntry, error)); ok {
		return own(name)
	}
	return fs.ReadDir(plainFS{f.FS}, name)
}

// Stat is the method of fs.StatFS.
func (f fileSystem) Stat(name string) (fs.FileInfo, error) {
	if own, ok := f.value.method("Stat").(func(string) (fs.FileInfo, error)); ok {
		return own(name)
	}
	return fs.Stat(plainFS{f.FS}, name)
}

// Glob is the method of fs.GlobFS.
func (f fileSystem) Glob(pattern string) ([]string, error) {
	if own, ok := f.value.method("Glob").(func(string) ([]string, error)); ok {
		return own(pattern)
	}
	return fs.Glob(readingFS{plainFS{f.FS}, f}, pattern)
}

// Sub is the method of fs.SubFS.
func (f fileSystem) Sub(dir string) (fs.FS, error) {
	if own, ok := f.value.method("Sub").(func(string) (fs.FS, error)); ok {
		return own(dir)
	}
	if dir == "." {
		return f, nil
	}
	return fs.Sub(readingFS{plainFS{f.FS}, f}, dir)
}

// readingFS is a file system with the methods that read.
type readingFS struct {
	plainFS

	whole fileSystem
}

// ReadDir is the method of fs.ReadDirFS.
func (r readingFS) ReadDir(name string) ([]fs.DirEntry, error) { return r.whole.ReadDir(name) }

// ReadFile is the method of fs.ReadFileFS.
func (r readingFS) ReadFile(name string) ([]byte, error) { return r.whole.ReadFile(name) }

// Stat is the method of fs.StatFS.
func (r readingFS) Stat(name string) (fs.FileInfo, error) { return r.whole.Stat(name) }
