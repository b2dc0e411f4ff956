// Package queue keeps a fleet's batches, tasks and results in NATS JetStream. All records of one queue are below the names that this
// package defines, so a queue can share a server with other programs.
package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/idelchi/aura/internal/fleet"
)

// The names in JetStream.
const (
	tasksStream   = "AURA_TASKS"
	eventsStream  = "AURA_EVENTS"
	taskSubject   = "aura.task."
	eventSubject  = "aura.event."
	cancelSubject = "aura.cancel."
	consumerName  = "workers"

	fleetBucket    = "aura-fleet"
	batchesBucket  = "aura-batches"
	progressBucket = "aura-progress"
	resultsBucket  = "aura-results"
	slotsBucket    = "aura-slots"
	workersBucket  = "aura-workers"
	objectsBucket  = "aura-objects"

	formatKey = "format"
	limitsKey = "limits"
)

const (
	// Takeover is how long a task is without a heartbeat before another worker gets it, unless the queue was created otherwise.
	Takeover = 20 * time.Second
	// beats is how many heartbeats a worker sends in that time.
	beats = 5
	// minBeat is the shortest time between two heartbeats.
	minBeat = 100 * time.Millisecond
	// leaseTime is how long the records of a worker stay after its last heartbeat.
	leaseTime = 30 * time.Second
	// eventAge and eventBytes bound what is kept of events. eventsEach is how many messages are kept for each task.
	eventAge   = 7 * 24 * time.Hour
	eventBytes = 4 << 30
	eventsEach = 5000
	// maxMessage is the size of the largest message, in bytes. It is the usual limit of a NATS server.
	maxMessage = 1 << 20
	// pingEvery is the time between two checks of a connection. After three without an answer, a worker connects again.
	pingEvery = 3 * time.Second
	// dialTime is how long a connection to a server may take.
	dialTime = 5 * time.Second
	// requestTime is how long one request to the server may take.
	requestTime = 10 * time.Second
)

// Options say how to reach a queue.
type Options struct {
	// URL names one server or several, separated by commas.
	URL         string
	User, Token string
	// CA, Cert and Key are PEM files. CA verifies the server; Cert and Key identify this client.
	CA, Cert, Key string
	// Pins are the keys that the server may have; empty means that its certificate is verified instead.
	Pins []string
	// Plaintext permits a server that proves nothing: it gets the token, and so does everybody who listens.
	Plaintext bool
	// Name identifies the connection at the server.
	Name string
	// Server is the server itself, for a program that runs it. The connection then needs no TLS, and URL is only a name.
	Server nats.InProcessConnProvider
	// SealKey is the key of the seals of results; it may be empty.
	SealKey []byte
}

// Queue is a connection to a queue. The caller must close it.
type Queue struct {
	url  string
	seal []byte
	nc   *nats.Conn
	js   jetstream.JetStream

	fleet, batches, progress, results, slots, workers jetstream.KeyValue
	objects                                           jetstream.ObjectStore

	// once guards consumer, which is opened when the first task is asked for.
	once     sync.Mutex
	consumer jetstream.Consumer
}

// ErrEmpty means that the server has no queue yet.
var ErrEmpty = errors.New("it has no queue yet: `aura fleet submit` creates one")

// Open connects to a queue that exists.
func Open(ctx context.Context, o Options) (*Queue, error) {
	q, err := dial(o)
	if err != nil {
		return nil, err
	}
	if err := q.bind(ctx); err != nil {
		q.Close()
		return nil, fmt.Errorf("opening the queue at %s: %w", q.url, err)
	}
	return q, nil
}

// Shape is how a queue is created.
type Shape struct {
	// Replicas is how many servers keep each record. Zero means 1.
	Replicas int
	// Takeover is how long a task is without a heartbeat before another worker gets it. Zero means the default.
	Takeover time.Duration
}

// Create connects to a server and creates the queue if it does not exist.
func Create(ctx context.Context, o Options, s Shape) (*Queue, error) {
	q, err := dial(o)
	if err != nil {
		return nil, err
	}
	err = q.bind(ctx)
	if errors.Is(err, ErrEmpty) {
		err = q.create(ctx, s)
	}
	if err != nil {
		q.Close()
		return nil, fmt.Errorf("opening the queue at %s: %w", q.url, err)
	}
	return q, nil
}

// Close closes the connection.
func (q *Queue) Close() { q.nc.Close() }

func dial(o Options) (*Queue, error) {
	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		nats.SetCustomDialer(&dialer{Dialer: net.Dialer{Timeout: dialTime}}), nats.Timeout(dialTime), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
		// What is written while the connection is down must not be sent later: by then another worker may have the task.
		nats.ReconnectBufSize(-1),
	}
	if o.Token != "" {
		options = append(options, nats.UserInfo(o.User, o.Token))
	}
	switch {
	case o.Server != nil:
		options = append(options, nats.InProcessServer(o.Server))
	case !o.Plaintext:
		config, err := o.secure()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(config))
	}
	if o.Cert != "" {
		options = append(options, nats.ClientCert(o.Cert, o.Key))
	}
	nc, err := nats.Connect(o.URL, options...)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return nil, fmt.Errorf("connecting to %s: the server refused the credentials: set AURA_FLEET_USER and AURA_FLEET_TOKEN, or --token-file, to those of `aura fleet serve`", shown(o.URL))
	case err != nil:
		return nil, fmt.Errorf("connecting to %s: %w", shown(o.URL), unproven(err))
	}
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(requestTime), jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("connecting to %s: %w", shown(o.URL), err)
	}
	return &Queue{url: shown(o.URL), seal: o.SealKey, nc: nc, js: js}, nil
}

// bind opens the parts of a queue and checks its format.
func (q *Queue) bind(ctx context.Context) error {
	var err error
	if q.fleet, err = q.js.KeyValue(ctx, fleetBucket); errors.Is(err, jetstream.ErrBucketNotFound) {
		return ErrEmpty
	} else if err != nil {
		return explained(err)
	}
	entry, err := q.fleet.Get(ctx, formatKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return ErrEmpty
	}
	if err != nil {
		return explained(err)
	}
	var has struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(entry.Value(), &has); err != nil || has.Format < 1 {
		return errors.New("its format cannot be read: it is no queue of aura")
	}
	if has.Format > fleet.Format {
		return &fleet.VersionError{What: "the queue", Has: has.Format}
	}
	if has.Format < fleet.Format {
		return fmt.Errorf("the queue has format %d, which this aura no longer reads: finish its batches with an older aura, or remove it", has.Format)
	}
	for bucket, into := range map[string]*jetstream.KeyValue{
		batchesBucket: &q.batches, progressBucket: &q.progress, resultsBucket: &q.results, slotsBucket: &q.slots, workersBucket: &q.workers,
	} {
		if *into, err = q.js.KeyValue(ctx, bucket); err != nil {
			return fmt.Errorf("opening %s: %w", bucket, explained(err))
		}
	}
	if q.objects, err = q.js.ObjectStore(ctx, objectsBucket); err != nil {
		return fmt.Errorf("opening %s: %w", objectsBucket, explained(err))
	}
	return nil
}

// create makes the parts of a queue. It is safe to repeat, and to run twice at once. The format is written last, so that nobody uses
// a queue that is not complete.
func (q *Queue) create(ctx context.Context, s Shape) error {
	replicas, takeover := max(s.Replicas, 1), cmp.Or(s.Takeover, Takeover)
	steps := []func() error{
		func() error {
			_, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
				Name: tasksStream, Subjects: []string{taskSubject + "*.*"}, Retention: jetstream.WorkQueuePolicy, Replicas: replicas,
				MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgSize: maxMessage,
			})
			return err
		},
		func() error {
			_, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
				Name: eventsStream, Subjects: []string{eventSubject + "*.*"}, Retention: jetstream.LimitsPolicy, Replicas: replicas,
				MaxMsgsPerSubject: eventsEach, MaxAge: eventAge, MaxBytes: eventBytes, Discard: jetstream.DiscardOld, MaxMsgSize: maxMessage,
			})
			return err
		},
		func() error {
			_, err := q.js.CreateOrUpdateConsumer(ctx, tasksStream, jetstream.ConsumerConfig{
				Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: takeover, MaxDeliver: -1, MaxAckPending: 20_000,
			})
			return err
		},
		func() error {
			_, err := q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: objectsBucket, Replicas: replicas})
			return err
		},
	}
	for _, bucket := range []string{batchesBucket, progressBucket, resultsBucket, slotsBucket, workersBucket, fleetBucket} {
		config := jetstream.KeyValueConfig{Bucket: bucket, Replicas: replicas, History: 1, MaxValueSize: maxMessage}
		if bucket == slotsBucket || bucket == workersBucket {
			config.TTL = leaseTime
		}
		steps = append(steps, func() error {
			_, err := q.js.CreateOrUpdateKeyValue(ctx, config)
			return err
		})
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("creating the queue: %w", explained(err))
		}
	}
	kv, err := q.js.KeyValue(ctx, fleetBucket)
	if err != nil {
		return explained(err)
	}
	format := fmt.Appendf(nil, `{"format":%d}`, fleet.Format)
	if _, err := kv.Create(ctx, formatKey, format); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
		return explained(err)
	}
	return q.bind(ctx)
}

// explained adds to an error of JetStream what the user can do.
func explained(err error) error {
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%w: the server must have JetStream; `aura fleet serve` has it", err)
	case errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("%w: the user needs the subjects aura.> and $JS.>", err)
	default:
		return err
	}
}
