package queue

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// maxInline is the size of the largest compressed data that is part of a record, in bytes. A record has at most three such parts.
const maxInline = 128 << 10

// PutBlob stores data. The name must be unique; it is used only if the data does not fit into a record.
func (q *Queue) PutBlob(ctx context.Context, name string, data []byte) (fleet.Blob, error) {
	return q.putBlob(ctx, name, data, maxInline)
}

// PutFile is like PutBlob for data of which a record may have many. room is how much of it fits into the record.
func (q *Queue) PutFile(ctx context.Context, name string, data []byte, room int) (fleet.Blob, error) {
	return q.putBlob(ctx, name, data, max(room, 0))
}

// FilesInline is how much of all files together fits into a record, in bytes.
const FilesInline = 64 << 10

func (q *Queue) putBlob(ctx context.Context, name string, data []byte, inline int) (fleet.Blob, error) {
	if len(data) > fleet.MaxBlob {
		return fleet.Blob{}, fmt.Errorf("%s has %d bytes; %d is the limit", name, len(data), fleet.MaxBlob)
	}
	sum := sha256.Sum256(data)
	out := fleet.Blob{Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	if len(data) == 0 {
		return out, nil
	}
	packed, err := pack(data)
	if err != nil {
		return out, err
	}
	if len(packed) <= inline {
		out.Data = packed
		return out, nil
	}
	out.Object = name
	return out, q.putObject(ctx, name, packed)
}

// packers holds writers of gzip, because a new one needs almost a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // it fails only with an unknown level
	return w
}}

// pack compresses data.
func pack(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, _ := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&packed)
	_, err := w.Write(data)
	err = errors.Join(err, w.Close())
	return packed.Bytes(), err
}

// slowest is how many bytes per second a connection to the queue carries at least.
const slowest = 256 << 10

// transferTime returns how long an object may take. A transfer whose acknowledgement got lost would otherwise wait for ever.
func transferTime(size int64) time.Duration {
	return requestTime + time.Duration(size/slowest)*time.Second
}

// putObject stores an object, again and again until it is stored.
func (q *Queue) putObject(ctx context.Context, name string, data []byte) error {
	for {
		limited, cancel := context.WithTimeout(ctx, transferTime(int64(len(data))))
		_, err := q.objects.PutBytes(limited, name, data)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if pause(ctx, time.Second) != nil {
			return err
		}
	}
}

// Blob returns stored data. It returns an error if the data is not what was stored.
func (q *Queue) Blob(ctx context.Context, b fleet.Blob) ([]byte, error) {
	if b.Size < 0 || b.Size > fleet.MaxBlob {
		return nil, fmt.Errorf("it claims to have %d bytes; %d is the limit", b.Size, fleet.MaxBlob)
	}
	ctx, cancel := context.WithTimeout(ctx, transferTime(b.Size))
	defer cancel()
	var from io.Reader = bytes.NewReader(b.Data)
	if b.Object != "" {
		object, err := q.objects.Get(ctx, b.Object)
		if err != nil {
			return nil, fmt.Errorf("reading object %s: %w", b.Object, err)
		}
		defer func() { _ = object.Close() }()
		from = object
	} else if len(b.Data) == 0 && b.Size == 0 {
		return nil, nil
	}
	unpacked, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(unpacked, b.Size+1))
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	sum := sha256.Sum256(data)
	if int64(len(data)) != b.Size || hex.EncodeToString(sum[:]) != b.SHA256 {
		return nil, errors.New("damaged or changed: it does not have the hash that its record names")
	}
	return data, nil
}

// dropBlob removes data that no record needs any more. What cannot be removed is removed with the batch.
func (q *Queue) dropBlob(ctx context.Context, b fleet.Blob) {
	if b.Object != "" {
		_ = q.objects.Delete(ctx, b.Object)
	}
}

// archiveName returns the name of the object with a packed directory.
func archiveName(batch, digest string) string { return batch + ".archive." + digest }

// PutArchive stores a packed directory under its SHA-256, unless the queue has it.
func (q *Queue) PutArchive(ctx context.Context, batch, digest string, content io.Reader) error {
	if _, err := q.objects.GetInfo(ctx, archiveName(batch, digest)); err == nil {
		return nil
	}
	_, err := q.objects.Put(ctx, jetstream.ObjectMeta{Name: archiveName(batch, digest)}, content)
	if err != nil {
		return fmt.Errorf("storing a packed directory: %w", explained(err))
	}
	return nil
}

// Archive copies a packed directory to w and checks its hash.
func (q *Queue) Archive(ctx context.Context, batch, digest string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, transferTime(fleet.MaxArchive))
	defer cancel()
	object, err := q.objects.Get(ctx, archiveName(batch, digest))
	if err != nil {
		return fmt.Errorf("reading packed directory %s: %w", digest, err)
	}
	defer func() { _ = object.Close() }()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(object, fleet.MaxArchive+1))
	if err != nil {
		return fmt.Errorf("reading packed directory %s: %w", digest, err)
	}
	if n > fleet.MaxArchive || hex.EncodeToString(sum.Sum(nil)) != digest {
		return fmt.Errorf("reading packed directory %s: it was changed: it does not have this hash", digest)
	}
	return nil
}
