// Package install installs plugins into a home: it adds, updates and removes them and vendors their imports. It records in
// plugins.lock what was installed, so that a plugin whose files have changed since then is not loaded.
//
// Files of a source are first written into a hidden directory beside their target and checked there. They are moved to the
// target only if the checks find nothing wrong. No code of a source is ever run.
package install

//go:generate go run ./gen
