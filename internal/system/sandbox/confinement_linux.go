package sandbox

// confinement is this process while it confines itself by a policy. Only confine makes one. It is used by one goroutine.
type confinement struct {
	// Policy is an opened policy. The steps of confine remove the grants that cannot be held, and add the directories that are mounted over
	// others. Its files belong to this process.
	Policy
	// pins identifies the files of the policy by the paths of Pinned, and entered is the working directory.
	pins    map[string]pin
	entered identity
	// links holds the links to private copies of Git's settings, by the files that they are mounted over.
	links map[string]int
	// protected is the set of Protected; nil if it was not needed yet.
	protected treeSet
}

// identity identifies a file independently of its path. It is unique while a process holds the file open.
type identity struct{ device, inode uint64 }

// pin is a file that a process got as a descriptor.
type pin struct {
	fd   int
	id   identity
	kind kind
}

// kind is the type of a file. The rules of Landlock differ only between files and directories.
type kind int

const (
	kindNone kind = iota
	kindFile
	kindDir
)
