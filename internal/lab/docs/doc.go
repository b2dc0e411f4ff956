// Package docs keeps the documentation correct. It has only tests: they write the files shown in README.md and docs/, run the
// commands shown there with the real binaries, and compare the output and the tables with the code.
package docs
