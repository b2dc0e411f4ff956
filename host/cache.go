package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/manifest"
	"github.com/idelchi/aura/sdk/version"
	"github.com/idelchi/aura/shared"
)

// The exports of a plugin depend only on its files and on what it is loaded with. They are cached under a hash of both, so that
// they are known at the next start before any child runs.

// cacheKey returns the cache key of a plugin's exports. It fails if the plugin's files cannot be read.
func cacheKey(o *Options, spec Spec) (string, error) {
	tree, err := manifest.TreeHash(spec.Dir)
	if err != nil {
		return "", err
	}
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
		"v4", version.Version, bin.Size(), bin.ModTime().UnixNano(), tree, spec.Guest, guest, spec.Unsafe, o.Tool,
		grant(o.Environ, o.TaskEnv, spec.variables()), spec.Sandbox,
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
	if o.CacheDir == "" || key == "" {
		return e, false
	}
	b, err := files.ReadNoFollow(cachePath(o, key), files.MaxText)
	if err != nil || json.Unmarshal(b, &e) != nil {
		return shared.Exports{}, false
	}
	return e, true
}

// remember caches exports. The write is atomic, so that concurrent sessions do not disturb each other.
func remember(o *Options, key string, e shared.Exports) error {
	if o.CacheDir == "" || key == "" {
		return nil
	}
	path := cachePath(o, key)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("remembering plugin exports: %w", err)
	}
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("remembering plugin exports: %w", err)
	}
	if err := files.Replace(path, b, 0o600); err != nil {
		return fmt.Errorf("remembering plugin exports: %w", err)
	}
	return nil
}

func cachePath(o *Options, key string) string {
	return filepath.Join(o.CacheDir, "exports", key+".json")
}
