//go:build linux

package docs

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestImage unpacks the container image of a release and runs its aura in its root file system, as the user that the image names.
func TestImage(t *testing.T) {
	t.Parallel()
	dist := os.Getenv(distVariable)
	if dist == "" {
		testneed.Missing(t, testneed.Release, distVariable+" is not set: run make release-check")
	}
	if os.Getuid() != 0 {
		testneed.Missing(t, testneed.Root, "only root changes the root directory")
	}
	layout, root := t.TempDir(), t.TempDir()
	unpack(t, filepath.Join(dist, "aura-"+build.Version+"-linux-"+runtime.GOARCH+".oci.tar"), layout, false)
	var index struct{ Manifests []blobRef }
	var image struct {
		Config blobRef
		Layers []blobRef
	}
	var config struct {
		Config struct {
			User, WorkingDir string
			Env, Entrypoint  []string
		} `json:"config"`
	}
	decode(t, filepath.Join(layout, "index.json"), &index)
	decode(t, index.Manifests[0].path(layout), &image)
	decode(t, image.Config.path(layout), &config)
	for _, layer := range image.Layers {
		unpack(t, layer.path(layout), root, true)
	}
	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // it is the root directory of other users
		t.Fatal(err)
	}
	if err := devices(root); err != nil {
		testneed.Missing(t, testneed.Root, err)
	}
	uid, gid, _ := strings.Cut(config.Config.User, ":")
	inside := func(args ...string) (string, error) {
		// What a container runtime does: namespaces of its own, a /proc, and the user of the image.
		cmd := exec.CommandContext(t.Context(), "unshare", append(append([]string{
			"--mount", "--pid", "--fork", "--kill-child", "--root=" + root, "--wd=" + config.Config.WorkingDir, "--mount-proc", "--setgid=" + gid, "--setuid=" + uid,
		}, config.Config.Entrypoint...), args...)...)
		cmd.Env = config.Config.Env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{"version"}, []string{build.Version}},
		{[]string{"run", "--provider", "demonstration", "What is here?"}, []string{"> Ls {"}},
		{[]string{"plugins", "new", "greeter"}, []string{"greeter"}},
		{[]string{"plugins", "test", "greeter"}, []string{"ok"}},
		{[]string{"sandbox", "status"}, []string{"files", "the sandbox as a whole"}},
		{[]string{"doctor"}, []string{"aura-plugin-host", "0 errors"}},
	} {
		out, err := inside(row.args...)
		if err != nil && row.args[0] != "sandbox" {
			t.Errorf("aura %s: %v\n%s", strings.Join(row.args, " "), err, out)
		}
		for _, want := range row.want {
			if !strings.Contains(out, want) {
				t.Errorf("aura %s does not print %q:\n%s", strings.Join(row.args, " "), want, out)
			}
		}
	}
}

// blobRef names a blob of an image.
type blobRef struct{ Digest string }

func (b blobRef) path(layout string) string {
	return filepath.Join(layout, "blobs", filepath.FromSlash(strings.Replace(b.Digest, ":", "/", 1)))
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unpack extracts an archive of files and directories, with their owners.
func unpack(t *testing.T, path, to string, compressed bool) {
	t.Helper()
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var r io.Reader = in
	if compressed {
		if r, err = gzip.NewReader(in); err != nil {
			t.Fatal(err)
		}
	}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = extract(filepath.Join(to, filepath.FromSlash(h.Name)), h, tr)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func extract(path string, h *tar.Header, r io.Reader) error {
	mode := h.FileInfo().Mode()
	if h.Typeflag == tar.TypeDir {
		return errors.Join(os.MkdirAll(path, 0o755), os.Chown(path, h.Uid, h.Gid), os.Chmod(path, mode))
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, r)
	return errors.Join(err, out.Close(), os.Chown(path, h.Uid, h.Gid), os.Chmod(path, mode))
}

// devices makes the devices that every container has.
func devices(root string) error {
	dir := filepath.Join(root, "dev")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for name, minor := range map[string]int{"null": 3, "zero": 5, "random": 8, "urandom": 9} {
		const memory = 1 // the major number
		path := filepath.Join(dir, name)
		if err := errors.Join(syscall.Mknod(path, syscall.S_IFCHR|0o666, memory<<8|minor), os.Chmod(path, 0o666)); err != nil {
			return fmt.Errorf("making %s: %w", path, err)
		}
	}
	return nil
}
