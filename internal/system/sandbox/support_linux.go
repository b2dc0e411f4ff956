package sandbox

import "fmt"

// Support asks the kernel what it can enforce. It does not find out what depends on how a process is started; see Probe.
func Support() Status {
	abi := landlockABI()
	files := Row{Name: "files", Enforced: abi > 0, Required: true, Detail: fmt.Sprintf("Landlock, version %d", abi)}
	if abi == 0 {
		files.Detail = "the kernel has no Landlock, or it is not switched on (lsm=landlock)"
	}
	calls := Row{Name: "system calls", Enforced: true, Required: true, Detail: "seccomp"}
	if err := filterSupported(); err != nil {
		calls.Enforced, calls.Detail = false, err.Error()
	}
	rows := []Row{
		files, calls,
		since("truncation", abi, abiTruncate, "6.2"),
		since("signals and abstract sockets", abi, abiScope, "6.12"),
	}
	return Status{Enabled: files.Enforced && calls.Enforced, Rows: rows}
}

func since(name string, abi, want int, kernel string) Row {
	row := Row{Name: name, Enforced: abi >= want, Detail: fmt.Sprintf("Landlock, version %d", abi)}
	if !row.Enforced {
		row.Detail = "needs Linux " + kernel
	}
	return row
}
