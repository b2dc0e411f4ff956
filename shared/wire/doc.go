// Package wire has the messages of the service that a child serves, and encodes them as protobuf does. Package pb, which is generated from
// wire.proto, describes the same messages. A child does without protobuf: to initialise it, and to describe the messages to it, takes longer
// than the first calls.
package wire
