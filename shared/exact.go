package shared

import "github.com/idelchi/aura/shared/exact"

// EncodeExact returns a value as JSON without loss of information: it arrives as if the codec had sent it. Structs are objects with the
// names of their Go fields.
func EncodeExact(v any) ([]byte, error) { return exact.Encode(v) }

// AppendExact appends a value to dst in the form of EncodeExact. A pointer to a struct has the form of the struct.
func AppendExact(dst []byte, v any) ([]byte, error) { return exact.Append(dst, v) }

// DecodeExact is the inverse of EncodeExact. Fields of into that the JSON does not contain do not change. A field that into does not
// have is an error.
func DecodeExact(b []byte, into any) error { return exact.Decode(b, into) }
