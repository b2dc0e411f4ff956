// Package wire is generated from the envelope in wire.proto. Regenerate it with `make generate`.
package wire
