package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/queue"
)

const (
	// holdTime is how long a worker keeps a task that waits for a free place, before it lets others have it.
	holdTime = 3 * time.Second
	// againTime is the time between two looks for a free place.
	againTime = 250 * time.Millisecond
	// spentTime is how long a task waits before it is looked at again, if a limit of tokens or cost is reached.
	spentTime = 15 * time.Second
)

// admit takes the places that a task needs where the number of tasks is limited. all are the limits of the fleet. It returns false if the
// task must wait or is refused.
func (w *worker) admit(ctx, hard context.Context, offer *queue.Offer, b fleet.Batch, all fleet.Limits) (*queue.Slots, bool, error) {
	for name, limits := range map[string]fleet.Limits{b.Name: b.Limits, "": all} {
		if !limits.Counts() {
			continue
		}
		spent, err := w.Queue.Spent(hard, name)
		if err != nil {
			return nil, false, err
		}
		if !spent.Exceeds(limits) {
			continue
		}
		if limits.Stop {
			return nil, false, offer.Refuse(hard, fleet.Result{Status: fleet.StatusLimit, Class: fleet.ClassLimit, Error: reached(name, spent)})
		}
		w.setNote(reached(name, spent) + ", so tasks wait")
		sleep(ctx, time.Second)
		return nil, false, offer.Later(spentTime)
	}
	provider := offer.Provider
	slowed, err := w.Queue.Slowed(hard, provider)
	if err != nil {
		return nil, false, err
	}
	if slowed > 0 {
		sleep(ctx, min(slowed, time.Second))
		return nil, false, offer.Later(slowed + rand.N(time.Second))
	}
	for begun := time.Now(); ; {
		slots, err := w.Queue.Occupy(hard, b, all, provider, w.ID)
		if err != nil || slots != nil {
			return slots, slots != nil, err
		}
		if time.Since(begun) > holdTime || ctx.Err() != nil {
			return nil, false, offer.Later(rand.N(time.Second))
		}
		_ = offer.Alive()
		sleep(ctx, againTime)
	}
}

func reached(batch string, s fleet.Spent) string {
	who := "the fleet"
	if batch != "" {
		who = "batch " + batch
	}
	return fmt.Sprintf("the limit of %s is reached: it has used %d tokens and %.2f US dollars", who, s.Tokens, s.CostUSD)
}
