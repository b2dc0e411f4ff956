// Package dirwatch lets the kernel report which directories changed, so that the others need not be read again. Elsewhere it reports nothing, and no directory is watched.
package dirwatch
