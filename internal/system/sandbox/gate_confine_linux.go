package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/idelchi/aura/internal/system/process"
)

// resolverFiles are the settings by which the gate looks up names. It reads them again when they change.
var resolverFiles = []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"}

// confineGate confines the process of the gate, which reads what hostile code writes: it can look up names, dial, and copy. It can read the
// settings of the machine, write no file, start no program, and reach no other process. It cannot be undone.
func confineGate() error {
	// The zone of the machine is read when it is needed first, from files that are out of reach then.
	_, _ = time.Now().Zone()
	if err := errors.Join(CloseInherited(), process.ForbidCoreFiles(), process.ForgoPrivileges()); err != nil {
		return err
	}
	abi := landlockABI()
	if abi == 0 {
		return fmt.Errorf("confining the gate: %w", ErrUnsupported)
	}
	config := landlockConfig(abi)
	// The gate dials every port, and the rules decide about them.
	config.HandledAccessNet &= ll.AccessNetBindTCP
	if err := config.Restrict(resolverRules()...); err != nil {
		return fmt.Errorf("confining the gate: restricting files: %w", err)
	}
	if err := dropAll(); err != nil {
		return fmt.Errorf("confining the gate: %w", err)
	}
	return filterGate()
}

// resolverRules permits reading the settings of the resolver, in /etc and where links lead. The rules are for directories, because programs
// that change such a file put another in its place.
func resolverRules() []landlock.Rule {
	rules := []landlock.Rule{landlock.PathAccess(ll.AccessFSReadFile, "/etc").IgnoreIfMissing()}
	for _, path := range resolverFiles {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // it is missing
		}
		if dir := filepath.Dir(real); filepath.Dir(dir) != "/" {
			real = dir
		}
		rules = append(rules, landlock.PathAccess(ll.AccessFSReadFile, real).IgnoreIfMissing())
	}
	return rules
}
