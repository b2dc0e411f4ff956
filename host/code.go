package host

import "github.com/idelchi/aura/shared"

// loadedCode is what is known about the files that a plugin was loaded from, and about what they export. The lock of the life cycle guards
// it.
type loadedCode struct {
	// exports may come from the cache before the first child is loaded. known reports whether exports is set. loaded reports
	// whether a child reported exports from the current files.
	exports shared.Exports
	known   bool
	loaded  bool
	// tree is the hash of the plugin's files, until the first child is started with it.
	tree string
	// version is the hash of the files that the session loaded; empty before the first load.
	version string
	// children counts the processes that were started for the plugin.
	children int
}

// adopt records the exports of a child that takes over.
func (c *loadedCode) adopt(exports shared.Exports) {
	c.exports, c.known, c.loaded = exports, true, true
}

// recalled records what was found in the cache before the first start: the hash of the files and, unless it is nil, what they export.
func (c *loadedCode) recalled(tree string, exports *shared.Exports) {
	c.tree = tree
	if exports != nil {
		c.exports, c.known = *exports, true
	}
}

// firstTree returns the hash of the files for the first start, and an empty text for each further one.
func (c *loadedCode) firstTree() string {
	tree := c.tree
	c.tree = ""
	return tree
}
