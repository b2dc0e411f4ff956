package client

import (
	"context"
	"errors"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/idelchi/aura/shared/wire/pb"
)

// TestStreamsOfGoPlugin opens the streams that go-plugin opens to every child. They must fail in the way in which go-plugin does without them, and
// without a message to the child.
func TestStreamsOfGoPlugin(t *testing.T) {
	t.Parallel()
	conn, err := grpc.NewClient("passthrough:nowhere", append(DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			t.Error("a connection is made")
			return nil, errors.New("refused")
		}))...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, method := range []string{"/plugin.GRPCStdio/StreamStdio", "/plugin.GRPCBroker/StartStream"} {
		_, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, method)
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("%s: got %v, want %s", method, err, codes.Unimplemented)
		}
	}
}

// TestOtherMessages encodes a message of another service, as go-plugin's own.
func TestOtherMessages(t *testing.T) {
	t.Parallel()
	want := &pb.Failure{Kind: "panic", Message: []byte("b")}
	encoded, err := codec{}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := &pb.Failure{}
	if err := (codec{}).Unmarshal(encoded, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := (codec{}).Marshal("text"); err == nil {
		t.Error("a text is encoded")
	}
}
