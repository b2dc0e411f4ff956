package fleet

import "time"

// Overview is what is known about a batch at one moment.
type Overview struct {
	Batch     string         `json:"batch"`
	State     BatchState     `json:"state"`
	Submitted time.Time      `json:"submitted"`
	Tasks     int            `json:"tasks"`
	Running   int            `json:"running"`
	Waiting   int            `json:"waiting"`
	Results   map[Status]int `json:"results"`
	// Classes counts the results that are not StatusDone, by class.
	Classes map[string]int `json:"classes"`
	// Damaged counts results that are not what a worker wrote.
	Damaged int `json:"damaged"`
	Spent
	// CostKnown is false if the price of a model is not known.
	CostKnown bool `json:"cost_known"`
	Deaths    int  `json:"deaths"`
	// PerMinute is how many tasks ended in the last minute. Ends is when the batch will be finished at this rate; zero if not known.
	PerMinute int       `json:"per_minute"`
	Ends      time.Time `json:"ends,omitzero"`

	recent []time.Time
}

// NewOverview returns the overview of a batch without results.
func NewOverview(b Batch) *Overview {
	return &Overview{Batch: b.Name, State: b.State, Submitted: b.Submitted, Tasks: b.Tasks, Results: map[Status]int{}, Classes: map[string]int{}, CostKnown: true}
}

// Add counts a result.
func (o *Overview) Add(r Result) {
	o.Results[r.Status]++
	if r.Status != StatusDone {
		o.Classes[r.Class]++
	}
	o.Tokens += r.Tokens
	o.CostUSD += r.CostUSD
	o.CostKnown = o.CostKnown && (r.CostKnown || r.Requests == 0)
	o.Deaths += r.Deaths
	o.recent = append(o.recent, r.Ended)
}

// Ended returns how many tasks have a result.
func (o *Overview) Ended() int {
	n := o.Damaged
	for _, count := range o.Results {
		n += count
	}
	return n
}

// Finished reports whether all tasks have a result.
func (o *Overview) Finished() bool { return o.Ended() >= o.Tasks }

// At completes the overview with what is running now.
func (o *Overview) At(now time.Time, running int) {
	kept := o.recent[:0]
	for _, at := range o.recent {
		if now.Sub(at) <= time.Minute {
			kept = append(kept, at)
		}
	}
	o.recent, o.PerMinute = kept, len(kept)
	left := max(o.Tasks-o.Ended(), 0)
	o.Running = min(running, left)
	o.Waiting = left - o.Running
	o.Ends = time.Time{}
	if o.PerMinute > 0 && left > 0 {
		o.Ends = now.Add(time.Duration(left) * time.Minute / time.Duration(o.PerMinute)).Truncate(time.Second)
	}
}
