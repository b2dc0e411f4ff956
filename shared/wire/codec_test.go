package wire

import (
	"bytes"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/idelchi/aura/shared/wire/pb"
)

// pair is a message, and the same one as protobuf has it.
type pair struct {
	ours   any
	theirs proto.Message
}

// messages holds every message, empty and with all fields.
func messages() []pair {
	failure, theirFailure := &Failure{Kind: "panic", Message: []byte("b\xffm")}, &pb.Failure{Kind: "panic", Message: []byte("b\xffm")}
	long := make([]byte, 1<<20)
	return []pair{
		{&Call{}, &pb.Call{}},
		{&Call{Verb: "hook", Point: "BeforeChat", Body: long}, &pb.Call{Verb: "hook", Point: "BeforeChat", Body: long}},
		{&Call{Body: []byte{0}}, &pb.Call{Body: []byte{0}}},
		{&Reply{}, &pb.Reply{}},
		{&Reply{Body: long}, &pb.Reply{Body: long}},
		{&Reply{Failure: failure}, &pb.Reply{Failure: theirFailure}},
		{&Reply{Failure: &Failure{}}, &pb.Reply{Failure: &pb.Failure{}}},
		{&Reply{Body: []byte("x"), Failure: failure}, &pb.Reply{Body: []byte("x"), Failure: theirFailure}},
		{&Request{}, &pb.Request{}},
		{&Request{ID: 1<<64 - 1, Verb: "state", Body: long}, &pb.Request{Id: 1<<64 - 1, Verb: "state", Body: long}},
		{&Answer{}, &pb.Answer{}},
		{&Answer{ID: 7, Reply: &Reply{Body: long, Failure: failure}}, &pb.Answer{Id: 7, Reply: &pb.Reply{Body: long, Failure: theirFailure}}},
		{&Answer{Reply: &Reply{}}, &pb.Answer{Reply: &pb.Reply{}}},
	}
}

// marshal encodes one of our messages.
func marshal(m any) ([]byte, error) {
	switch m := m.(type) {
	case *Call:
		return Marshal(m)
	case *Reply:
		return Marshal(m)
	case *Request:
		return Marshal(m)
	default:
		return Marshal(m.(*Answer))
	}
}

// unmarshal decodes one of our messages.
func unmarshal(b []byte, m any) error {
	switch m := m.(type) {
	case *Call:
		return Unmarshal(b, m)
	case *Reply:
		return Unmarshal(b, m)
	case *Request:
		return Unmarshal(b, m)
	default:
		return Unmarshal(b, m.(*Answer))
	}
}

// TestCodec compares the codec with that of protobuf, in both directions.
func TestCodec(t *testing.T) {
	t.Parallel()
	for _, p := range messages() {
		got, err := marshal(p.ours)
		if err != nil {
			t.Fatal(err)
		}
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(p.theirs)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%T encoded as %.100q, want %.100q", p.ours, got, want)
		}
		// What was in the message before must not stay.
		decoded := reflect.New(reflect.TypeOf(p.ours).Elem()).Interface()
		if err := unmarshal([]byte("\x1a\x03old"), decoded); err != nil {
			t.Fatal(err)
		}
		if err := unmarshal(want, decoded); err != nil || !reflect.DeepEqual(decoded, p.ours) {
			t.Errorf("%T is decoded as another message: %v", p.ours, err)
		}
	}
}

func TestCodecRefuses(t *testing.T) {
	t.Parallel()
	for _, v := range []any{&Call{Verb: "\xff"}, &Reply{Failure: &Failure{Kind: "\xff"}}, &Request{Verb: "\xff"}} {
		if _, err := marshal(v); err == nil {
			t.Errorf("%v is encoded", v)
		}
	}
}

// FuzzCodec decodes any bytes like protobuf's own codec.
func FuzzCodec(f *testing.F) {
	for _, p := range messages() {
		if b, err := marshal(p.ours); err == nil && len(b) < 100 {
			f.Add(b)
		}
	}
	f.Add([]byte("\x12\x02\x08\x01\x12\x04\x12\x02\x0a\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range []pair{{&Call{}, &pb.Call{}}, {&Reply{}, &pb.Reply{}}, {&Request{}, &pb.Request{}}, {&Answer{}, &pb.Answer{}}} {
			wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, p.theirs)
			err := unmarshal(b, p.ours)
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("%T of %q: got %v, want %v", p.ours, b, err, wantErr)
			}
			if err != nil {
				continue
			}
			got, err := marshal(p.ours)
			if err != nil {
				t.Fatal(err)
			}
			want, err := proto.MarshalOptions{Deterministic: true}.Marshal(p.theirs)
			if err != nil || string(got) != string(want) {
				t.Fatalf("%T of %q: got %q, want %q (%v)", p.ours, b, got, want, err)
			}
		}
	})
}

// TestGroups decodes nested groups, which no message has, as protobuf does: up to a depth.
func TestGroups(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 9_999, 10_000, 10_001, 10_002, 20_000} {
		// Field 4 as a group, and the end of it.
		b := append(bytes.Repeat([]byte{0x23}, depth), bytes.Repeat([]byte{0x24}, depth)...)
		want := proto.Unmarshal(b, &pb.Call{})
		if got := Unmarshal(b, &Call{}); (got != nil) != (want != nil) {
			t.Errorf("%d groups: got %v, want %v", depth, got, want)
		}
	}
}
