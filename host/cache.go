package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk/version"
	"github.com/idelchi/aura/shared"
)

// The exports of a plugin depend only on its files and on what it is loaded with. They are cached under a hash of both, so that
// they are known at the next start before any child runs. The lowered source depends on the files alone.

// cacheKey returns the cache key of the exports of a plugin whose files have the hash tree.
func cacheKey(o *Options, spec Spec, tree string) (string, error) {
	bin, err := os.Stat(o.Binary)
	if err != nil {
		return "", fmt.Errorf("looking for the plugin host: %w", err)
	}
	guest, err := guestIdentity(spec)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	err = json.NewEncoder(h).Encode([]any{
		"v4", version.Version, bin.Size(), bin.ModTime().UnixNano(), tree, spec.Guest, guest, spec.Unsafe, o.around(spec).Tool,
		o.around(spec).grant(spec.variables()), spec.Sandbox,
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// guestIdentity returns what identifies the program of a guest besides its path: it may be replaced by another version.
func guestIdentity(spec Spec) ([]int64, error) {
	if spec.Guest == nil {
		return nil, nil
	}
	info, err := os.Stat(spec.Guest.Program)
	if err != nil {
		return nil, fmt.Errorf("looking for the program of the guest: %w", err)
	}
	return []int64{info.Size(), info.ModTime().UnixNano()}, nil
}

// recall returns the cached exports for a key. An invalid cache entry counts as missing.
func recall(o *Options, key string) (shared.Exports, bool) {
	var e shared.Exports
	b := readCached(o, cachedExports, key)
	if b == nil || json.Unmarshal(b, &e) != nil {
		return shared.Exports{}, false
	}
	return e, true
}

// remember caches exports, unless they are cached.
func remember(o *Options, key string, e shared.Exports) error {
	if o.CacheDir == "" || key == "" {
		return nil
	}
	if _, err := os.Stat(cachePath(o, cachedExports, key)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("remembering plugin exports: %w", err)
	}
	return writeCached(o, cachedExports, key, b)
}

// loweredKey returns the cache key of a plugin's lowered source; it is empty if the source is not cached. The code of an unsafe
// plugin can change the memory of its child, so what that child returns may differ from the source.
func loweredKey(o *Options, spec Spec, tree string) string {
	if spec.Unsafe || spec.Guest != nil || tree == "" {
		return ""
	}
	bin, err := os.Stat(o.Binary)
	if err != nil {
		return "" // starting the child reports it
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "v1 %q %d %d %q %q", version.Version, bin.Size(), bin.ModTime().UnixNano(), tree, spec.Dir))
	return hex.EncodeToString(sum[:])
}

// cacheKind is a directory of cache entries and the extension of their names.
type cacheKind struct{ dir, extension string }

// The kinds of cache entries.
var (
	cachedExports = cacheKind{"exports", ".json"}
	cachedLowered = cacheKind{"lowered", ".cbor"}
	cachedSource  = cacheKind{"source", ".tar"}
)

// maxCached is how many entries of each kind are kept. An entry is replaced by another when a plugin is edited.
const maxCached = 1000

// readCached returns an entry, or nil.
func readCached(o *Options, kind cacheKind, key string) []byte {
	if o.CacheDir == "" || key == "" {
		return nil
	}
	b, err := files.ReadNoFollow(cachePath(o, kind, key), files.MaxText)
	if err != nil {
		return nil
	}
	return b
}

// writeCached writes an entry. The write is atomic, so that concurrent sessions do not disturb each other.
func writeCached(o *Options, kind cacheKind, key string, b []byte) error {
	if o.CacheDir == "" || key == "" || len(b) > files.MaxText {
		return nil
	}
	path := cachePath(o, kind, key)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = files.Replace(path, b, 0o600)
	}
	if err == nil {
		err = trimCache(filepath.Dir(path), maxCached)
	}
	if err != nil {
		return fmt.Errorf("caching what is known about a plugin: %w", err)
	}
	return nil
}

// trimCache removes the oldest entries of a directory until at most half of the limit remains, if it has more than the limit.
func trimCache(dir string, limit int) error {
	entries, err := files.ReadDir(dir, -1)
	if err != nil || len(entries) <= limit {
		return err
	}
	written := func(e fs.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0 // removed meanwhile
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(written(a), written(b)) })
	for _, e := range entries[:len(entries)-limit/2] {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func cachePath(o *Options, kind cacheKind, key string) string {
	return filepath.Join(o.CacheDir, kind.dir, key+kind.extension)
}
