package client

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/idelchi/aura/shared/wire"
)

// codec encodes the messages of the service. Messages of other services are left to protobuf's own codec.
type codec struct{}

// Name returns the name of protobuf's own codec, because the bytes are the same.
func (codec) Name() string { return proto.Name }

// general returns protobuf's own codec.
func general() encoding.CodecV2 { return encoding.GetCodecV2(proto.Name) }

// Marshal encodes a message.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	var out []byte
	var err error
	switch m := v.(type) {
	case *wire.Call:
		out, err = wire.Marshal(m)
	case *wire.Answer:
		out, err = wire.Marshal(m)
	default:
		return general().Marshal(v)
	}
	return mem.BufferSlice{mem.SliceBuffer(out)}, err
}

// Unmarshal decodes a message.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	reply, isReply := v.(*wire.Reply)
	request, isRequest := v.(*wire.Request)
	if !isReply && !isRequest {
		return general().Unmarshal(data, v)
	}
	buf := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buf.Free()
	if isReply {
		return wire.Unmarshal(buf.ReadOnlyData(), reply)
	}
	return wire.Unmarshal(buf.ReadOnlyData(), request)
}
