package sandbox_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// ownTemp mounts the data directory over the one for temporary files. The working directory is below another such directory.
func ownTemp(p *sandbox.Policy) {
	base := filepath.Dir(p.ReadWrite[0])
	p.ReadWrite = append(p.ReadWrite, base)
	p.Covers = []sandbox.Cover{{Path: filepath.Join(base, "tmp"), From: filepath.Join(base, "data")}}
}

// coveredBase mounts the data directory over the directory that contains everything of the scene.
func coveredBase(p *sandbox.Policy) {
	base := filepath.Dir(p.ReadWrite[0])
	p.ReadWrite = append(p.ReadWrite, base)
	p.Covers = []sandbox.Cover{{Path: base, From: filepath.Join(base, "data")}}
}

func init() {
	maps.Copy(attacks, map[string]weapon{
		"read another program's temporary file": {mounts: true, change: ownTemp, run: func(s scene) error {
			return reads(s.path("tmp/aura-session/lock"), secret)
		}},
		"leave a temporary file": {mounts: true, change: coveredBase, run: func(s scene) error {
			return appendTo(s.path("home/dir/file"))
		}},
		"look at a name outside": {mounts: true, run: func(s scene) error { _, err := os.Lstat(s.path("home/.ssh/id_rsa")); return err }},
		"look at the home of the machine": {mounts: true, run: func(scene) error {
			_, err1 := os.Lstat("/var/lib")
			_, err2 := os.Lstat("/etc/shadow")
			return errors.Join(err1, err2)
		}},
		"read a link outside":          {mounts: true, run: func(s scene) error { _, err := os.Readlink(s.path("home/.gitconfig")); return err }},
		"watch a directory of secrets": {run: func(s scene) error { return watches(s.path("home/.ssh")) }},
		"watch with sockets granted":   {change: unixSockets, run: func(s scene) error { return watches(s.path("home/.ssh")) }},
		"pair of other sockets":        {run: func(scene) error { return pairOf(unix.AF_INET) }},
		"core for a handler":           {run: func(scene) error { return coreAllowed() }},
		"message queue": {run: func(scene) error {
			return call(unix.SYS_MSGGET, messageKey, 0, 0, 0)
		}},
	})
	maps.Copy(deeds, map[string]weapon{
		"watch the working directory": {mounts: true, run: func(s scene) error { return watches(s.path("work")) }},
		"use a directory below a covered one": {mounts: true, change: coveredBase, run: func(s scene) error {
			return errors.Join(appendTo(s.path("work/main.go")), os.WriteFile(s.path("new"), nil, 0o600), reads(s.path("data/x"), ""))
		}},
	})
}

func watches(dir string) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	_, err = unix.InotifyAddWatch(fd, dir, unix.IN_ALL_EVENTS)
	return err
}

// pairOf asks for a pair of sockets. It succeeds if the kernel asked the family, which may have no pairs.
func pairOf(family int) error {
	_, err := unix.Socketpair(family, unix.SOCK_STREAM, 0)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return nil
	}
	return err
}

// coreAllowed returns nil if the kernel would start the machine's handler for the memory of a crashed process. Only a limit of 1 prevents it.
func coreAllowed() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
		return err
	}
	if limit.Cur == 1 && limit.Max == 1 {
		return errors.New("the kernel starts no handler")
	}
	return nil
}

// messageKey is the key of a queue that the launcher has.
const messageKey = 0x61757261
