package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// shown returns URLs without passwords.
func shown(urls string) string {
	var out []string
	for one := range strings.SplitSeq(urls, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			one = u.Redacted()
		}
		out = append(out, one)
	}
	return strings.Join(out, ",")
}

// errNone means that there is no such record.
var errNone = errors.New("not found")

// get reads a record. It returns its revision, which is 0 with errNone.
func get[T any](ctx context.Context, kv jetstream.KeyValue, key string) (T, uint64, error) {
	var out T
	entry, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return out, 0, errNone
	}
	if err != nil {
		return out, 0, explained(err)
	}
	if err := json.Unmarshal(entry.Value(), &out); err != nil {
		return out, 0, fmt.Errorf("the record %s is damaged: %w", key, err)
	}
	return out, entry.Revision(), nil
}

// put writes a record if its revision is still the given one; 0 means that it must not exist. It returns the new revision.
func put(ctx context.Context, kv jetstream.KeyValue, key string, record any, revision uint64) (uint64, error) {
	data, err := json.Marshal(record)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		return kv.Create(ctx, key, data)
	}
	return kv.Update(ctx, key, data, revision)
}

// conflict reports whether a write failed because the record changed.
func conflict(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// change reads a record, changes it and writes it, again and again until nobody else changed it in between. edit returns false if the
// record shall stay as it is.
func change[T any](ctx context.Context, kv jetstream.KeyValue, key string, edit func(record *T, exists bool) (bool, error)) error {
	for {
		record, revision, err := get[T](ctx, kv, key)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		write, err := edit(&record, revision > 0)
		if err != nil || !write {
			return err
		}
		_, err = put(ctx, kv, key, record, revision)
		if err == nil {
			return nil
		}
		if !conflict(err) {
			return err
		}
		if err := pause(ctx, rand.N(20*time.Millisecond)); err != nil {
			return err
		}
	}
}

// each calls f for all records whose keys match a pattern.
func each[T any](ctx context.Context, kv jetstream.KeyValue, pattern string, f func(key string, record T, revision uint64) error) error {
	return eachValue(ctx, kv, pattern, func(key string, value []byte, revision uint64) error {
		var record T
		if err := json.Unmarshal(value, &record); err != nil {
			return fmt.Errorf("the record %s is damaged: %w", key, err)
		}
		return f(key, record, revision)
	})
}

// eachValue is like each, for records that may be damaged.
func eachValue(ctx context.Context, kv jetstream.KeyValue, pattern string, f func(key string, value []byte, revision uint64) error) error {
	watcher, err := kv.Watch(ctx, pattern, jetstream.IgnoreDeletes())
	if err != nil {
		return explained(err)
	}
	defer func() { _ = watcher.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case entry, open := <-watcher.Updates():
			if !open {
				return errors.New("the connection was closed while records were read")
			}
			if entry == nil {
				return nil
			}
			if err := f(entry.Key(), entry.Value(), entry.Revision()); err != nil {
				return err
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// persist repeats an action until it succeeds, its error is final, or ctx ends. It is for writes that must survive a restart of the
// server or a cut of the network.
func persist(ctx context.Context, final func(error) bool, act func(context.Context) error) error {
	wait := 100 * time.Millisecond
	for {
		limited, cancel := context.WithTimeout(ctx, requestTime)
		err := act(limited)
		cancel()
		if err == nil || final(err) || ctx.Err() != nil {
			return err
		}
		if pause(ctx, wait/2+rand.N(wait)) != nil {
			return err
		}
		wait = min(2*wait, 3*time.Second)
	}
}
