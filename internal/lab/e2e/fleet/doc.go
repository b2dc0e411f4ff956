// Package fleet tests batches, servers and workers.
package fleet
