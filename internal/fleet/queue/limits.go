package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/fleet"
)

// keyed returns a text as a part of a key.
func keyed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// Slots are the places that a task takes where the number of tasks at once is limited.
type Slots struct {
	q    *Queue
	keys []string
}

// Occupy takes a place for a task in its batch and in the fleet. It returns nil if one of them has no free place.
func (q *Queue) Occupy(ctx context.Context, b fleet.Batch, all fleet.Limits, provider, worker string) (*Slots, error) {
	s := &Slots{q: q}
	for prefix, n := range map[string]int{"b." + b.Name + "." + keyed(provider): b.Limits.Of(provider), "f." + keyed(provider): all.Of(provider)} {
		if n == 0 {
			continue
		}
		key, err := q.occupy(ctx, prefix, n, worker)
		if err != nil || key == "" {
			s.Free(ctx)
			return nil, err
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}

func (q *Queue) occupy(ctx context.Context, prefix string, n int, worker string) (string, error) {
	taken := map[string]bool{}
	err := each(ctx, q.slots, prefix+".*", func(key string, _ string, _ uint64) error {
		taken[key] = true
		return nil
	})
	if err != nil || len(taken) >= n {
		return "", err
	}
	first := rand.IntN(n)
	for i := range n {
		key := fmt.Sprintf("%s.%d", prefix, (first+i)%n)
		if taken[key] {
			continue
		}
		_, err := put(ctx, q.slots, key, worker, 0)
		if err == nil {
			return key, nil
		}
		if !conflict(err) {
			return "", err
		}
	}
	return "", nil
}

// Renew renews the places. Without it they are free again after a while.
func (s *Slots) Renew(ctx context.Context, worker string) {
	for _, key := range s.keys {
		_ = change(ctx, s.q.slots, key, func(w *string, _ bool) (bool, error) {
			*w = worker
			return true, nil
		})
	}
}

// Free gives the places back.
func (s *Slots) Free(ctx context.Context) {
	for _, key := range s.keys {
		_ = s.q.slots.Purge(ctx, key)
	}
	s.keys = nil
}

// FleetLimits returns the limits of the whole fleet.
func (q *Queue) FleetLimits(ctx context.Context) (fleet.Limits, error) {
	l, _, err := get[fleet.Limits](ctx, q.fleet, limitsKey)
	if errors.Is(err, errNone) {
		err = nil
	}
	return l, err
}

// SetFleetLimits replaces the limits of the whole fleet.
func (q *Queue) SetFleetLimits(ctx context.Context, l fleet.Limits) error {
	return change(ctx, q.fleet, limitsKey, func(now *fleet.Limits, _ bool) (bool, error) {
		*now = l
		return true, nil
	})
}

// fleetSpent is the key of what the whole fleet spent. Batches have keys of their own.
const (
	fleetSpent = "spent"
	batchSpent = "spent."
)

// spending is the record of what a batch or the fleet has used.
type spending struct {
	fleet.Spent
	// Counted holds the seals of the results that are part of it and whose task may be counted again: see Queue.end.
	Counted []string `json:"counted,omitempty"`
}

// Spent returns what a batch, or with an empty name the fleet, has used.
func (q *Queue) Spent(ctx context.Context, batch string) (fleet.Spent, error) {
	s, _, err := get[spending](ctx, q.fleet, spentKey(batch))
	if errors.Is(err, errNone) {
		err = nil
	}
	return s.Spent, err
}

func spentKey(batch string) string {
	if batch == "" {
		return fleetSpent
	}
	return batchSpent + batch
}

// charge adds a result to what a batch, or with an empty name the fleet, has used, unless it was added before.
func (q *Queue) charge(ctx context.Context, batch string, r fleet.Result) error {
	return change(ctx, q.fleet, spentKey(batch), func(s *spending, _ bool) (bool, error) {
		if slices.Contains(s.Counted, r.Seal) {
			return false, nil
		}
		s.Tokens += r.Tokens
		s.CostUSD += r.CostUSD
		s.Counted = append(s.Counted, r.Seal)
		return true, nil
	})
}

// charged forgets that a result was added. Nobody adds it again.
func (q *Queue) charged(ctx context.Context, batch string, r fleet.Result) error {
	return change(ctx, q.fleet, spentKey(batch), func(s *spending, _ bool) (bool, error) {
		i := slices.Index(s.Counted, r.Seal)
		if i >= 0 {
			s.Counted = slices.Delete(s.Counted, i, i+1)
		}
		return i >= 0, nil
	})
}

// slow is the record of a provider that asked to slow down.
type slow struct {
	Until time.Time `json:"until"`
	Level int       `json:"level"`
}

const (
	slowFirst   = 2 * time.Second
	slowLongest = 5 * time.Minute
	// slowForget is after how long without a request to slow down the delay begins again at slowFirst.
	slowForget = 10 * time.Minute
)

// SlowDown makes the whole fleet wait before it starts further tasks at a provider. Each request after a wait doubles it.
func (q *Queue) SlowDown(ctx context.Context, provider string) error {
	return change(ctx, q.fleet, "slow."+keyed(provider), func(s *slow, _ bool) (bool, error) {
		next, write := s.next(time.Now().UTC())
		*s = next
		return write, nil
	})
}

func (s slow) next(now time.Time) (slow, bool) {
	if now.Before(s.Until) {
		return s, false // all who hit the limit together count once
	}
	if now.Sub(s.Until) > slowForget {
		s.Level = 0
	}
	delay := min(slowFirst<<min(s.Level, 20), slowLongest)
	return slow{Until: now.Add(delay), Level: s.Level + 1}, true
}

// Slowed returns how long the fleet must wait before it starts a task at a provider.
func (q *Queue) Slowed(ctx context.Context, provider string) (time.Duration, error) {
	s, _, err := get[slow](ctx, q.fleet, "slow."+keyed(provider))
	if errors.Is(err, errNone) {
		return 0, nil
	}
	return min(time.Until(s.Until), slowLongest), err
}
