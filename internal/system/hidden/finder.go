package hidden

// The limits of a search. A working directory may contain anything.
const (
	// MaxDirs is how many directories a search looks at, the uppermost first.
	MaxDirs = 1 << 15
	// maxWatched is how many directories the kernel is asked to report changes of. The user's other programs share that number.
	maxWatched = 1 << 13
	// MaxLooked is how many files a search reads to find private keys. The next search continues.
	MaxLooked = 1 << 14
	// maxUnread is how many directories are listed because they were not looked at.
	maxUnread = 256
)

// Found is the result of a search.
type Found struct {
	// Hits is sorted by path. A directory stands for everything below it.
	Hits []Hit
	// Unread lists directories that were not looked at, or that contain such directories, because there are too many.
	Unread []string
	// Later is set if not every file was looked at that may be a private key.
	Later bool
}

// Hit is a hidden file or directory.
type Hit struct {
	Path string
	Reason
}
