// Package wire is the generated code of the envelope in wire.proto. Regenerate it with `make generate`.
package wire
