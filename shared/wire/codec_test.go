package wire

import (
	"reflect"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// messages holds every message, empty and with all fields.
func messages() []proto.Message {
	failure := &Failure{Kind: "panic", Message: []byte("b\xffm")}
	long := make([]byte, 1<<20)
	return []proto.Message{
		&Call{}, &Call{Verb: "hook", Point: "BeforeChat", Body: long}, &Call{Body: []byte{0}},
		&Reply{}, &Reply{Body: long}, &Reply{Failure: failure}, &Reply{Failure: &Failure{}}, &Reply{Body: []byte("x"), Failure: failure},
		&Request{}, &Request{Id: 1<<64 - 1, Verb: "state", Body: long},
		&Answer{}, &Answer{Id: 7, Reply: &Reply{Body: long, Failure: failure}}, &Answer{Reply: &Reply{}},
	}
}

// TestCodec compares the codec with that of protobuf, in both directions.
func TestCodec(t *testing.T) {
	t.Parallel()
	for _, m := range messages() {
		encoded, err := Codec{}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := encoded.Materialize(); string(got) != string(want) {
			t.Errorf("%T encoded as %.100q, want %.100q", m, got, want)
		}
		// What was in the message before must not stay.
		got := m.ProtoReflect().New().Interface()
		if err := proto.Unmarshal([]byte("\x1a\x03old"), got); err != nil {
			t.Fatal(err)
		}
		if err := (Codec{}).Unmarshal(encoded, got); err != nil || !proto.Equal(got, m) {
			t.Errorf("%T is decoded as another message: %v", m, err)
		}
	}
}

func TestCodecRefuses(t *testing.T) {
	t.Parallel()
	for _, v := range []any{nil, "text", &Call{Verb: "\xff"}, &Reply{Failure: &Failure{Kind: "\xff"}}, &Request{Verb: "\xff"}} {
		if _, err := (Codec{}).Marshal(v); err == nil {
			t.Errorf("%v is encoded", v)
		}
	}
	if err := (Codec{}).Unmarshal(nil, "text"); err == nil {
		t.Error("a text is decoded")
	}
}

// TestOtherMessages encodes a message of another service.
func TestOtherMessages(t *testing.T) {
	t.Parallel()
	want := &Failure{Kind: "panic", Message: []byte("b")}
	encoded, err := Codec{}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := &Failure{}
	if err := (Codec{}).Unmarshal(encoded, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// FuzzCodec decodes any bytes like protobuf's own codec.
func FuzzCodec(f *testing.F) {
	for _, m := range messages() {
		if b, err := proto.Marshal(m); err == nil && len(b) < 100 {
			f.Add(b)
		}
	}
	f.Add([]byte("\x12\x02\x08\x01\x12\x04\x12\x02\x0a\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range []proto.Message{&Call{}, &Reply{}, &Request{}, &Answer{}} {
			want, got := m, m.ProtoReflect().New().Interface()
			wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, want)
			err := Codec{}.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, got)
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("%T of %q: got %v, want %v", m, b, err, wantErr)
			}
			if err == nil && (!proto.Equal(got, want) || reflect.TypeOf(got) != reflect.TypeOf(want)) {
				t.Fatalf("%T of %q: got %v, want %v", m, b, got, want)
			}
		}
	})
}
