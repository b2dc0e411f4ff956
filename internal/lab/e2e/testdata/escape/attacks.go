// Package attacker tries to get out of the sandbox. The same source runs in a plugin's interpreter and, compiled, in Bash.
package attacker

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scene is where the attacks take place. The test writes it once everything that is attacked is there.
type scene struct {
	Base, Secret, Weapon string
	Aura, Other          int
	// Fork is more than what a plugin may start, BashFork more than what a command line may.
	Fork, BashFork        int
	OtherSocket, Readable string
	Abstract, TCP, UDP    string
	IOUring, BPF, Memfd   int
	PidfdOpen, PidfdGetfd int
	PidfdSendSignal       int
	Renameat2             int
	Unshare, Ptrace       int
	// Place makes a plugin put the descriptor there that aura does not hand to it, with a sandbox or without.
	Place bool
}

func (s scene) path(name string) string { return filepath.Join(s.Base, name) }

// of is a path below the /proc of a process.
func of(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

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
	if way == "bash" {
		s.Place, s.Fork = false, s.BashFork
	}
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
		"read_ssh_key":           func(s scene) error { return reads(s.path("home/.ssh/id_rsa"), s.Secret) },
		"read_history":           func(s scene) error { return reads(s.path("home/.bash_history"), s.Secret) },
		"list_home":              func(s scene) error { _, err := os.ReadDir(s.path("home")); return err },
		"environment":            func(s scene) error { return reads(of(s.Aura, "environ"), s.Secret) },
		"environment_of_thread":  func(s scene) error { return reads(of(s.Aura, fmt.Sprintf("task/%d/environ", s.Aura)), s.Secret) },
		"environment_by_root":    func(s scene) error { return reads(of(s.Aura, fmt.Sprintf("root/proc/%d/environ", s.Aura)), s.Secret) },
		"environment_by_self":    func(s scene) error { return reads(fmt.Sprintf("/proc/self/../%d/environ", s.Aura), s.Secret) },
		"environment_in_memory":  memory,
		"environment_of_anybody": environment,
		"file_by_root":           func(s scene) error { return reads(of(s.Aura, "root"+s.path("home/.ssh/id_rsa")), s.Secret) },
		"file_by_cwd":            func(s scene) error { return reads(of(s.Aura, "cwd/../home/.ssh/id_rsa"), s.Secret) },
		"write_outside":          func(s scene) error { return os.WriteFile(s.path("home/new"), nil, 0600) },
		"write_by_symlink":       bySymlink,
		"write_by_renamed_dir":   byRenamedDir,
		"chmod_outside":          func(s scene) error { return os.Chmod(s.path("home/.bash_history"), 0600) },
		"chmod_config":           func(s scene) error { return os.Chmod(s.path("work/.aura/config/talk.yaml"), 0644) },
		"chmod_users_config":     func(s scene) error { return os.Chmod(s.path("home/.aura/config/none.txt"), 0644) },
		"rename_config":          func(s scene) error { return renames(s.path("work/.aura/config"), s.path("work/.aura/moved")) },
		"rename_users_config":    func(s scene) error { return renames(s.path("home/.aura/config"), s.path("home/.aura/moved")) },
		"rename_home":            func(s scene) error { return renames(s.path("work/.aura"), s.path("work/.moved")) },
		"write_config":           func(s scene) error { return os.WriteFile(s.path("work/.aura/config/extra.txt"), nil, 0600) },
		"write_plugin":           func(s scene) error { return os.WriteFile(s.path("work/.aura/plugins/extra.txt"), nil, 0600) },
		"write_plugin_elsewhere": func(s scene) error { return os.WriteFile(s.path("work/parts/extra.txt"), nil, 0600) },
		"write_extension":        func(s scene) error { return os.WriteFile(s.path("work/.aura/extensions/extra"), nil, 0600) },
		"write_git_hook":         func(s scene) error { return os.WriteFile(s.path("work/.git/hooks/extra"), nil, 0700) },
		"write_git_config":       func(s scene) error { return os.WriteFile(s.path("work/.git/config"), nil, 0600) },
		"link_ssh_key":           func(s scene) error { return links(s.path("home/.ssh/id_rsa"), s.path("work/alias"), s.Secret) },
		"link_config":            func(s scene) error { return links(s.path("work/.aura/config/talk.yaml"), s.path("work/alias"), "") },
		"link_git_config":        func(s scene) error { return links(s.path("work/.git/config"), s.path("work/alias"), "") },
		"exchange_config":        exchanges,
		"write_by_dots":          func(s scene) error { return os.WriteFile(s.Base+"/work/from/../../home/dots", nil, 0600) },
		"write_by_proc":          func(s scene) error { return os.WriteFile("/proc/self/root"+s.path("home/proc"), nil, 0600) },
		"config_by_dots":         func(s scene) error { return os.WriteFile(s.Base+"/work/from/../.aura/config/dots.txt", nil, 0600) },
		"config_by_proc":         func(s scene) error { return os.WriteFile("/proc/self/cwd/.aura/config/proc.txt", nil, 0600) },
		"config_by_symlink":      configBySymlink,
		"signal_aura":            func(s scene) error { return syscall.Kill(s.Aura, syscall.SIGURG) },
		"signal_other":           func(s scene) error { return syscall.Kill(s.Other, syscall.SIGURG) },
		"signal_by_pidfd":        signals,
		"attach_aura":            func(s scene) error { return takes(s, s.Aura, 7, s.Secret) },
		"attach_other":           func(s scene) error { return takes(s, s.Other, 1, "") },
		"ptrace_aura":            func(s scene) error { return traces(s, s.Aura) },
		"ptrace_other":           func(s scene) error { return traces(s, s.Other) },
		"abstract_socket":        func(s scene) error { return connects("unix", s.Abstract) },
		"other_plugins_socket":   func(s scene) error { return connects("unix", s.OtherSocket) },
		"socket_in_readable_dir": func(s scene) error { return connects("unix", s.Readable) },
		"io_uring":               ioUring,
		"bpf":                    bpf,
		"unshare":                func(s scene) error { return calls(s.Unshare, cloneSysvSem, 0, 0) },
		"user_namespace":         func(s scene) error { return inNamespaces(s, 0, 0, "say", "x") },
		"mount":                  func(s scene) error { return mounts(s, s.path("work/from"), s.path("work/to")) },
		"bind_home":              func(s scene) error { return mounts(s, s.path("home/dir"), s.path("work/to")) },
		"bind_over_config":       func(s scene) error { return mounts(s, s.path("work/from"), s.path("work/.aura/config")) },
		"memfd_exec":             memfdExec,
		"tcp":                    func(s scene) error { return connects("tcp", s.TCP) },
		"udp":                    func(s scene) error { return connects("udp", s.UDP) },
		"mptcp":                  mptcp,
		"raw_socket":             func(s scene) error { return socket(s, "raw", syscall.AF_INET, 1) },
		"packet_socket":          func(s scene) error { return socket(s, "packet", syscall.AF_PACKET, 0) },
		"fork_bomb":              bomb,
		"descriptor":             descriptor,
		"descriptor_by_self":     descriptorBySelf,
		"descriptor_by_proc":     func(s scene) error { return reads(of(s.Aura, "fd/7"), s.Secret) },
	}
}

func reads(path, want string) error {
	b, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(b), want) {
		return errors.New("the secret is not there")
	}
	return err
}

// environment tries every process but itself.
func environment(s scene) error {
	pids := []string{fmt.Sprint(s.Other), fmt.Sprint(os.Getppid()), "1"}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pids = append(pids, e.Name())
	}
	for _, pid := range pids {
		if pid == "self" || pid == "thread-self" || pid == fmt.Sprint(os.Getpid()) {
			continue
		}
		if reads("/proc/"+pid+"/environ", s.Secret) == nil {
			return nil
		}
	}
	return errors.New("no process shows the secret")
}

// memory looks for the environment where the kernel has put it: on the stack.
func memory(s scene) error {
	maps, err := os.ReadFile(of(s.Aura, "maps"))
	if err != nil {
		return err
	}
	f, err := os.Open(of(s.Aura, "mem"))
	if err != nil {
		return err
	}
	defer f.Close()
	for _, line := range strings.Split(string(maps), "\n") {
		var from, to int64
		if !strings.HasSuffix(line, "[stack]") {
			continue
		}
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err != nil {
			return err
		}
		b := make([]byte, to-from)
		n, err := f.ReadAt(b, from)
		if strings.Contains(string(b[:n]), s.Secret) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return errors.New("the secret is not there")
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

// links gives a file a second name, where it can be reached, and reads it or writes nothing to it.
func links(from, to, want string) error {
	_ = os.Remove(to)
	if err := os.Link(from, to); err != nil {
		return err
	}
	defer os.Remove(to)
	if want != "" {
		return reads(to, want)
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func configBySymlink(s scene) error {
	link := s.path("work/shortcut")
	_ = os.Remove(link)
	if err := os.Symlink(".aura", link); err != nil {
		return err
	}
	return os.WriteFile(link+"/config/link.txt", nil, 0600)
}

func renames(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return os.Rename(to, from)
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

// bomb lets the weapon start as many processes as the scene says.
func bomb(s scene) error {
	out, err := exec.Command(s.Weapon, "bomb", fmt.Sprint(s.Fork)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %.100s", err, out)
	}
	return nil
}

// descriptor reads what aura has open, by its number.
func descriptor(s scene) error {
	fd, err := place(s)
	if err != nil {
		return err
	}
	b := make([]byte, 100)
	n, err := syscall.Pread(fd, b, 0)
	if err == nil && !strings.Contains(string(b[:n]), s.Secret) {
		return errors.New("the secret is not there")
	}
	return err
}

func descriptorBySelf(s scene) error {
	fd, err := place(s)
	if err != nil {
		return err
	}
	return reads(fmt.Sprintf("/proc/self/fd/%d", fd), s.Secret)
}

// place puts the descriptor where an attack looks for it and returns the number: aura's, or one that nothing else in the plugin's
// process has.
func place(s scene) (int, error) {
	const auras, free = 7, 207
	if !s.Place {
		return auras, nil
	}
	fd, err := syscall.Open(s.path("home/.ssh/id_rsa"), syscall.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	return free, syscall.Dup3(fd, free, 0)
}
