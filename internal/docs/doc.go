// Package docs keeps the documentation true. It has tests only: they write the files shown in README.md and docs/, run the
// commands shown there with the real binaries, and compare the output and the tables with what the code says.
package docs
