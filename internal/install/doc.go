// Package install brings plugins into a home and keeps them there: it adds, updates and removes them, vendors what they import,
// and records in plugins.lock what was installed, so that a plugin whose files have changed since is not loaded.
//
// Whatever comes from outside is written into a hidden directory beside its target first, is looked at there, and is moved into
// its place only when nothing is wrong with it. Nothing of it is ever run.
package install

//go:generate go run ./gen
