package sdk

import (
	"slices"
	"strings"
	"sync"
)

// Scope says how long a value is kept.
type Scope string

// The scopes.
const (
	// ScopeSession keeps a value as long as the session, also over a resume.
	ScopeSession Scope = "session"
	// ScopeProject keeps a value for all sessions in the same project.
	ScopeProject Scope = "project"
)

// The limits of a Store. A plugin has one store per scope.
const (
	// MaxStateKey and MaxStateValue are the sizes of the longest key and the largest value, in bytes.
	MaxStateKey   = 256
	MaxStateValue = 64 << 10
	// MaxStateKeys is the largest number of keys in one store.
	MaxStateKeys = 1000
	// MaxStateBytes is the size of the largest store, keys and values together, in bytes.
	MaxStateBytes = 1 << 20
)

// Store holds small values that aura keeps for one plugin. When Set or Delete returns without an error, the change is on disk: it
// survives a crash of the plugin and of aura. No other plugin sees the values.
type Store interface {
	// Get returns the value of a key, and whether there is one.
	Get(key string) (value string, ok bool, err error)
	Set(key, value string) error
	// Delete removes a key. It is no error if there is none.
	Delete(key string) error
	// List returns the keys that begin with prefix, sorted.
	List(prefix string) ([]string, error)
}

// State returns the plugin's store of a scope. Outside of aura, as in a test, the store is in memory.
func State(scope Scope) Store {
	if compiled.state != nil {
		return compiled.state(scope)
	}
	stores.Lock()
	defer stores.Unlock()
	if stores.of == nil {
		stores.of = make(map[Scope]*memoryStore)
	}
	if stores.of[scope] == nil {
		stores.of[scope] = &memoryStore{values: make(map[string]string)}
	}
	return stores.of[scope]
}

// stores holds the stores outside of aura.
var stores struct {
	sync.Mutex
	of map[Scope]*memoryStore
}

// memoryStore is a Store that is not kept.
type memoryStore struct {
	mu     sync.Mutex
	values map[string]string
}

func (s *memoryStore) Get(key string) (value string, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok = s.values[key]
	return value, ok, nil
}

func (s *memoryStore) Set(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

func (s *memoryStore) Delete(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.values, key)
	return nil
}

func (s *memoryStore) List(prefix string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key := range s.values {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}
