// Package dirwatch lets the kernel report which directories changed, so that the others need not be read again. It exists on Linux only.
package dirwatch
