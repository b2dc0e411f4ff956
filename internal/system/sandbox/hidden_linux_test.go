package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/hidden"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// withheld hides files of the working directory: some by their names, others by the place where they are.
func withheld(p *sandbox.Policy) {
	work := p.ReadWrite[0]
	p.Rules = &hidden.Rules{Dir: work, Layers: []hidden.Layer{{Source: "a", Patterns: []string{".env*"}}, {Source: "b", Patterns: []string{"/conf/*.key"}}}}
}

// withheldSockets hides files of a process that may reach sockets outside, and so sees all names.
func withheldSockets(p *sandbox.Policy) {
	withheld(p)
	p.UnixSockets = true
}

// withheldExcept hides files, but not in one directory.
func withheldExcept(p *sandbox.Policy) {
	p.Rules = &hidden.Rules{Dir: p.ReadWrite[0], Layers: []hidden.Layer{{Source: "a", Patterns: []string{".env*", "!/free/.env"}}}}
}

func init() {
	env := func(s scene) string { return s.path("work/svc/.env") }
	maps.Copy(attacks, map[string]weapon{
		"read a hidden file":                      {mounts: true, change: withheld, run: func(s scene) error { return reads(env(s), secret) }},
		"read a hidden file with sockets granted": {mounts: true, change: withheldSockets, run: func(s scene) error { return reads(env(s), secret) }},
		"read a hidden file by /proc": {mounts: true, change: withheld, run: func(s scene) error {
			return reads("/proc/self/root"+env(s), secret)
		}},
		"read a hidden file by a descriptor": {mounts: true, change: withheld, run: func(s scene) error {
			dir, err := unix.Open(filepath.Dir(env(s)), unix.O_PATH, 0)
			if err != nil {
				return err
			}
			fd, err := unix.Openat(dir, ".env", unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			text, err := io.ReadAll(os.NewFile(uintptr(fd), "env"))
			if err == nil && string(text) != secret {
				err = fmt.Errorf("read %q", text)
			}
			return err
		}},
		"read a hidden file by a symlink": {mounts: true, change: withheld, run: func(s scene) error {
			return errors.Join(os.Symlink(env(s), s.path("work/x")), reads(s.path("work/x"), secret))
		}},
		"read a hidden file by a hard link": {mounts: true, change: withheld, run: func(s scene) error {
			return errors.Join(os.Link(env(s), s.path("work/x")), reads(s.path("work/x"), secret))
		}},
		"read a hidden file by another mode": {mounts: true, change: withheld, run: func(s scene) error {
			return errors.Join(os.Chmod(env(s), 0o666), reads(env(s), secret))
		}},
		"read a hidden file in a renamed directory": {mounts: true, change: withheld, run: func(s scene) error {
			return errors.Join(os.Rename(s.path("work/svc"), s.path("work/x")), reads(s.path("work/x/.env"), secret))
		}},
		"read a hidden file by a bind mount": {mounts: true, change: withheld, isolatedControl: true, run: func(s scene) error {
			return errors.Join(unix.Mount(s.path("work/svc"), s.path("work/src"), "", unix.MS_BIND, ""), reads(s.path("work/src/.env"), secret))
		}},
		"rename a hidden file":              {mounts: true, change: withheld, run: func(s scene) error { return os.Rename(env(s), s.path("work/x")) }},
		"remove a hidden file":              {mounts: true, change: withheld, run: func(s scene) error { return os.Remove(env(s)) }},
		"replace a hidden file":             {mounts: true, change: withheld, run: func(s scene) error { return os.Rename(s.path("work/main.go"), env(s)) }},
		"write a hidden file":               {mounts: true, change: withheld, run: func(s scene) error { return appendTo(env(s)) }},
		"read a file that its place hides":  {mounts: true, change: withheld, run: func(s scene) error { return reads(s.path("work/conf/prod.key"), secret) }},
		"rename the place of a hidden file": {mounts: true, change: withheld, run: func(s scene) error { return os.Rename(s.path("work/conf"), s.path("work/x")) }},
		"move a hidden file to where it would not be hidden": {mounts: true, change: withheldExcept, run: func(s scene) error {
			return os.Rename(s.path("work/svc"), s.path("work/free"))
		}},
	})
	maps.Copy(deeds, map[string]weapon{
		"see the name of a hidden file": {mounts: true, change: withheld, run: func(s scene) error {
			_, err := os.Lstat(env(s))
			return err
		}},
		"rename the directory of a hidden file": {mounts: true, change: withheld, run: func(s scene) error {
			return errors.Join(os.Rename(s.path("work/svc"), s.path("work/x")), appendTo(s.path("work/x/main.go")))
		}},
	})
}

// TestHiddenElsewhere checks that a layer that counts everywhere hides files of directories that settings or the user grant outside of the working
// directory.
func TestHiddenElsewhere(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"work/a.pem", "granted/a.pem", "granted/sub/b.pem", "granted/a.txt", "single/c.pem", "asked/d.pem"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o755), os.WriteFile(at(name), []byte(secret), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	rules := &hidden.Rules{Dir: at("work"), Layers: []hidden.Layer{{Source: "machine", Patterns: []string{"*.pem"}, Everywhere: true}, {Source: "own", Patterns: []string{"*.txt"}}}}
	place := sandbox.Place{Workdir: at("work"), Temp: at("tmp")}
	p := sandbox.Compose(place, sandbox.KindFiles, sandbox.Config{Extra: sandbox.Paths{ReadOnly: []string{at("granted"), at("single/c.pem")}}, Hidden: rules})
	grants := sandbox.GrantsIn(at("work"))
	t.Cleanup(grants.Close)
	opened := grants.Open(p.Allowing(place, []string{at("asked")}, nil))
	for name, want := range map[string]bool{"work/a.pem": true, "granted/a.pem": true, "granted/sub/b.pem": true, "granted/a.txt": false, "single/c.pem": true, "asked/d.pem": true} {
		if _, found := opened.Withheld[at(name)]; found != want {
			t.Errorf("%s is out of reach: %t", name, found)
		}
		if refused := sandbox.Refusal(opened, at(name), false); (refused != nil) != want || want && !refused.Closed {
			t.Errorf("the file tools get for %s: %v", name, refused)
		}
	}
	if without := sandbox.Compose(place, sandbox.KindFiles, sandbox.Config{Hidden: rules}); !p.Stricter(without) || p.Stricter(p) {
		t.Error("a policy that hides more elsewhere is not stricter")
	}
}
