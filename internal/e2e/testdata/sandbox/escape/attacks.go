// Package attacker tries to get out of the sandbox. The same source runs in a plugin's interpreter and, compiled, in Bash.
package attacker

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scene is where the attacks take place. The test writes it once everything that is attacked is there.
type scene struct {
	Base, Secret          string
	Aura, Other, Fork     int
	OtherSocket, Readable string
	Abstract, TCP, UDP    string
	IOUring, BPF, Memfd   int
	PidfdOpen, PidfdGetfd int
	Unshare, Ptrace       int
}

func (s scene) path(name string) string { return filepath.Join(s.Base, name) }

// awaitScene returns when the test has laid the scene.
func awaitScene() scene {
	var s scene
	for {
		b, err := os.ReadFile("scene.json")
		if err == nil && json.Unmarshal(b, &s) == nil {
			return s
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// attackAll writes a line about every attack to a file.
func attackAll(s scene, way string) error {
	var lines []string
	for name, attack := range attacks() {
		said := "success"
		if err := attack(s); err != nil {
			said = "refused: " + strings.ReplaceAll(err.Error(), "\n", " ")
		}
		lines = append(lines, name+"="+said)
	}
	return os.WriteFile("result-"+way, []byte(strings.Join(lines, "\n")+"\n"), 0600)
}

func attacks() map[string]func(scene) error {
	return map[string]func(scene) error{
		"read_ssh_key":       func(s scene) error { return reads(s.path("home/.ssh/id_rsa"), s.Secret) },
		"read_history":       func(s scene) error { return reads(s.path("home/.bash_history"), s.Secret) },
		"list_home":          func(s scene) error { _, err := os.ReadDir(s.path("home")); return err },
		"parent_environment": environment,
		"parent_memory":      func(s scene) error { return opens(fmt.Sprintf("/proc/%d/mem", s.Aura)) },
		"parent_root": func(s scene) error {
			return reads(fmt.Sprintf("/proc/%d/root%s", s.Aura, s.path("home/.ssh/id_rsa")), s.Secret)
		},
		"write_outside":           func(s scene) error { return os.WriteFile(s.path("home/new"), nil, 0600) },
		"write_by_symlink":        bySymlink,
		"write_by_renamed_dir":    byRenamedDir,
		"chmod_outside":           func(s scene) error { return os.Chmod(s.path("home/.bash_history"), 0600) },
		"chmod_config":            func(s scene) error { return os.Chmod(s.path("work/.aura/config/talk.yaml"), 0644) },
		"rename_config":           func(s scene) error { return renames(s.path("work/.aura/config"), s.path("work/.aura/moved")) },
		"rename_home":             func(s scene) error { return renames(s.path("work/.aura"), s.path("work/.moved")) },
		"write_config":            func(s scene) error { return os.WriteFile(s.path("work/.aura/config/extra.txt"), nil, 0600) },
		"write_plugin":            func(s scene) error { return os.WriteFile(s.path("work/.aura/plugins/extra.txt"), nil, 0600) },
		"write_git_hook":          func(s scene) error { return os.WriteFile(s.path("work/.git/hooks/extra"), nil, 0700) },
		"write_git_config":        func(s scene) error { return os.WriteFile(s.path("work/.git/config"), nil, 0600) },
		"signal_aura":             func(s scene) error { return syscall.Kill(s.Aura, 0) },
		"signal_other":            func(s scene) error { return syscall.Kill(s.Other, 0) },
		"attach_aura":             func(s scene) error { return takes(s, s.Aura) },
		"attach_other":            func(s scene) error { return takes(s, s.Other) },
		"ptrace":                  func(s scene) error { return reaches(s.Ptrace, 0x4206, s.Aura, 1) },
		"abstract_socket":         func(s scene) error { return connects("unix", s.Abstract) },
		"other_plugins_socket":    func(s scene) error { return connects("unix", s.OtherSocket) },
		"socket_in_readable_dir":  func(s scene) error { return connects("unix", s.Readable) },
		"io_uring":                func(s scene) error { return reaches(s.IOUring, 1, 0, 0) },
		"bpf":                     func(s scene) error { return reaches(s.BPF, 0, 0, 0) },
		"unshare":                 func(s scene) error { return reaches(s.Unshare, 0x40000, 0, 0) },
		"mount":                   mounts,
		"memfd_exec":              func(s scene) error { return reaches(s.Memfd, 0, 0, 0) },
		"tcp":                     func(s scene) error { return connects("tcp", s.TCP) },
		"udp":                     func(s scene) error { return connects("udp", s.UDP) },
		"mptcp":                   func(s scene) error { return socket(syscall.AF_INET, syscall.SOCK_STREAM, 262) },
		"raw_socket":              func(s scene) error { return socket(syscall.AF_INET, syscall.SOCK_RAW, 1) },
		"packet_socket":           func(s scene) error { return socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0) },
		"fork_bomb":               bomb,
		"descriptor_of_aura":      descriptor,
		"descriptor_of_aura_proc": func(s scene) error { return reads("/proc/self/fd/7", s.Secret) },
	}
}

func reads(path, want string) error {
	b, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(b), want) {
		return errors.New("the secret is not there")
	}
	return err
}

func opens(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// environment tries every process but itself, by every file that leads to an environment.
func environment(s scene) error {
	pids := []string{fmt.Sprint(s.Aura), fmt.Sprint(s.Other), fmt.Sprint(os.Getppid()), "1"}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pids = append(pids, e.Name())
	}
	for _, pid := range pids {
		if pid == "self" || pid == "thread-self" || pid == fmt.Sprint(os.Getpid()) {
			continue
		}
		for _, name := range []string{"environ", "task/" + pid + "/environ", "cwd/../../proc/" + pid + "/environ", "root/proc/" + pid + "/environ"} {
			b, err := os.ReadFile("/proc/" + pid + "/" + name)
			if err == nil && strings.Contains(string(b), s.Secret) {
				return nil
			}
		}
	}
	return errors.New("no process shows the secret")
}

func bySymlink(s scene) error {
	link := s.path("work/link")
	_ = os.Remove(link)
	if err := os.Symlink(s.path("home"), link); err != nil {
		return err
	}
	return os.WriteFile(link+"/through", nil, 0600)
}

func byRenamedDir(s scene) error {
	if err := os.Rename(s.path("home/dir"), s.path("work/dir")); err != nil {
		return err
	}
	err := os.WriteFile(s.path("work/dir/new"), nil, 0600)
	_ = os.Rename(s.path("work/dir"), s.path("home/dir"))
	return err
}

func renames(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return os.Rename(to, from)
}

// takes takes a descriptor out of another process, which needs the right to attach to it.
func takes(s scene, pid int) error {
	fd, _, errno := syscall.Syscall(uintptr(s.PidfdOpen), uintptr(pid), 0, 0)
	if errno != 0 {
		return errno
	}
	taken, _, errno := syscall.Syscall(uintptr(s.PidfdGetfd), fd, 1, 0)
	_ = syscall.Close(int(fd))
	if errno != 0 {
		return errno
	}
	return syscall.Close(int(taken))
}

// reaches makes a call that changes nothing, or whose arguments make no sense, so that it does no harm: it is refused, or the kernel looks at them.
func reaches(nr, a, b, c int) error {
	_, _, errno := syscall.Syscall(uintptr(nr), uintptr(a), uintptr(b), uintptr(c))
	if errno == syscall.EPERM || errno == syscall.ENOSYS || errno == syscall.EACCES {
		return errno
	}
	return nil
}

// mounts asks for a file system that there is not, which only shows to who may mount.
func mounts(s scene) error {
	err := syscall.Mount("none", s.path("work"), "nosuchfs", 0, "")
	if err == syscall.ENODEV {
		return nil
	}
	return err
}

func connects(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	_, err = c.Write([]byte("x"))
	_ = c.Close()
	return err
}

func socket(domain, kind, protocol int) error {
	fd, err := syscall.Socket(domain, kind, protocol)
	if err != nil {
		return err
	}
	return syscall.Close(fd)
}

// bomb starts as many processes as the scene says, which is few where nothing limits them.
func bomb(s scene) error {
	var started []*os.Process
	var failed error
	for len(started) < s.Fork && failed == nil {
		p, err := os.StartProcess("/bin/sleep", []string{"sleep", "60"}, &os.ProcAttr{})
		failed = err
		if err == nil {
			started = append(started, p)
		}
	}
	for _, p := range started {
		_ = p.Kill()
	}
	for _, p := range started {
		_, _ = p.Wait()
	}
	return failed
}

func descriptor(s scene) error {
	b := make([]byte, 100)
	n, err := syscall.Pread(7, b, 0)
	if err == nil && !strings.Contains(string(b[:n]), s.Secret) {
		return errors.New("the secret is not there")
	}
	return err
}
