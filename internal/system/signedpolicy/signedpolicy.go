// Package signedpolicy gets the policy that the policy of the machine names by an address and a key: it is fetched, verified, and kept for the time
// in which the address does not answer. It does not know what a policy says.
//
// Neither the server, nor the network, nor the directory with the copy is trusted. The copy is verified each time it is read. What can be had
// from none of them is an error: an absent policy would permit everything.
package signedpolicy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/internal/system/statefile"
)

const (
	// interval is how long a copy is used before the address is asked again, whether or not it answered.
	interval = time.Hour
	// firstTime is how long the start of aura waits for the address without a valid copy, and nextTime with one.
	firstTime = 15 * time.Second
	nextTime  = 3 * time.Second
	// maxStore is the largest size of the file with the copy, in bytes.
	maxStore = 4 << 20
	// storeVersion is the version of its format.
	storeVersion = 1
)

// Options say where the copy is, and what to use instead of the network and the clock. The zero value keeps no copy.
type Options struct {
	// State is the root of aura's state, which confined code cannot reach.
	State string
	// Client fetches; nil for one that uses the proxies of the environment.
	Client *http.Client
	// Now returns the time; nil for the clock.
	Now func() time.Time
	// Check returns why a policy that was fetched cannot be used, so that the copy stays; nil if each can be.
	Check func(body []byte) error
	// First and Next replace the times that a fetch may take without and with a copy.
	First, Next time.Duration
}

// Defaults returns the options for the user of the process.
func Defaults() Options {
	home, _ := os.UserHomeDir()        // without a home, there may be no copy
	xdg := os.Getenv("XDG_STATE_HOME") //nolint:forbidigo // the policy is read before any configuration
	return Options{State: state.Locate(xdg, home, "").Root}
}

// stored is the content of the file with the copy.
type stored struct {
	Version int `json:"version"`
	// URL and Key are those that the copy was fetched for. A copy for others does not count.
	URL string `json:"url"`
	Key string `json:"key"`
	// Text is the last good copy, with its signature; empty if there was none yet.
	Text string `json:"text"`
	// Asked is when the address was asked last.
	Asked time.Time `json:"asked"`
}

func (o Options) file() statefile.File[stored] {
	path := ""
	if o.State != "" {
		path = filepath.Join(o.State, "policy.json")
	}
	return statefile.File[stored]{
		Path: path, Max: maxStore, Again: "aura fetches the policy again", Empty: func() stored { return stored{Version: storeVersion} },
		Check: func(s *stored) error { return statefile.CheckVersion(s.Version, storeVersion) },
	}
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

// Newest returns the policy to use, without its head and signature: the copy if the address was asked lately, else what the address serves, or
// else the copy. Lines keep their numbers.
func (o Options) Newest(ctx context.Context, address, publicKey string) ([]byte, error) {
	key, err := parseKey(publicKey)
	if err != nil {
		return nil, err
	}
	saved, err := o.file().Read()
	if err != nil || saved.URL != address || saved.Key != publicKey {
		saved = stored{} // it is only a copy: what cannot be read is fetched again
	}
	now := o.now()
	kept, keptErr := open([]byte(saved.Text), key, now)
	if since := now.Sub(saved.Asked); keptErr == nil && since >= 0 && since < interval {
		return kept.body, nil
	}
	wait := cmp.Or(o.First, firstTime)
	if keptErr == nil {
		wait = cmp.Or(o.Next, nextTime)
	}
	text, next, err := o.fetchNewer(ctx, address, wait, key, []byte(saved.Text))
	switch {
	case err == nil:
		saved.Text, kept = string(text), next
	case keptErr != nil && saved.Text != "":
		return nil, fmt.Errorf("%w; the copy of %s cannot be used either: %w", err, saved.Asked.UTC().Format(time.DateOnly), keptErr)
	case keptErr != nil:
		return nil, err
	}
	saved.Version, saved.URL, saved.Key, saved.Asked = storeVersion, address, publicKey, now
	o.store(saved)
	return kept.body, nil
}

// fetchNewer fetches the policy, and refuses one that is older than the copy. A copy that has expired counts too: it was seen.
func (o Options) fetchNewer(ctx context.Context, address string, wait time.Duration, key ssh.PublicKey, saved []byte) ([]byte, document, error) {
	text, err := o.fetch(ctx, address, wait)
	if err != nil {
		return nil, document{}, err
	}
	next, err := open(text, key, o.now())
	if err == nil && o.Check != nil {
		err = o.Check(next.body)
	}
	if err != nil {
		return nil, document{}, err
	}
	before, _ := open(saved, key, time.Time{}) // empty if there is no sound copy
	switch {
	case next.Serial < before.Serial:
		return nil, document{}, fmt.Errorf("it has the serial %d, and one with the serial %d was there before", next.Serial, before.Serial)
	case next.Serial == before.Serial && string(next.signed) != string(before.signed):
		return nil, document{}, fmt.Errorf("it has the serial %d of the copy, and another content; each version needs a serial of its own", next.Serial)
	}
	return text, next, nil
}

// store replaces the copy. One that cannot be stored is fetched again by the next start, so that is no fault.
func (o Options) store(s stored) {
	f := o.file()
	err := f.Change(func(old *stored) { *old = s })
	if err != nil && !errors.Is(err, statefile.ErrNoPlace) {
		_ = os.Remove(f.Path) // a damaged file; the next start makes a new one
	}
}
