package placement

import (
	"fmt"
	"strings"
)

// Systemd returns a unit. With several replicas it is a template of units.
func Systemd(o Options) ([]byte, error) {
	if err := o.check("systemd"); err != nil {
		return nil, err
	}
	return []byte(o.unitNote() + unitText(o)), nil
}

// unitFile returns the name of the file that the unit must have.
func (o Options) unitFile() string {
	if o.Replicas > 1 {
		return Name + "@.service"
	}
	return Name + ".service"
}

func (o Options) unitNote() string {
	units := Name
	if o.Replicas > 1 {
		units = fmt.Sprintf("%s@{1..%d}", Name, o.Replicas)
	}
	note := fmt.Sprintf("# Workers of an aura fleet. Save it as /etc/systemd/system/%s, then run: systemctl enable --now %s\n", o.unitFile(), units)
	if len(o.Secrets) > 0 {
		note += "# /etc/aura-worker.secrets (owner root, mode 0600) must set: " + join(o.Secrets) + "\n"
	}
	if len(o.Env) > 0 {
		note += "# /etc/aura-worker.env must set: " + join(o.Env) + "\n"
	}
	return note + "# The configuration of the workers is in " + Configuration + ".\n"
}

// stateDir returns the directory of a worker. %i is the number of a replica.
func (o Options) stateDir() string {
	if o.Replicas > 1 {
		return "/var/lib/" + Name + "/%i"
	}
	return "/var/lib/" + Name
}

func unitText(o Options) string {
	u := &unit{}
	u.section("Unit")
	u.set("Description", "Worker of an aura fleet")
	u.set("Wants", "network-online.target")
	u.set("After", "network-online.target")
	u.section("Service")
	u.set("Type", "exec")
	u.comment("A machine that cannot confine tools and plugins runs no task.")
	u.set("ExecStartPre", command(probe()))
	u.set("ExecStart", command(append([]string{"aura"}, o.args()...)))
	if len(o.Secrets) > 0 {
		u.set("EnvironmentFile", "/etc/aura-worker.secrets")
	}
	if len(o.Env) > 0 {
		u.set("EnvironmentFile", "/etc/aura-worker.env")
	}
	u.set("Restart", "always")
	u.set("RestartSec", "5s")
	u.comment("Exit code 2 is a wrong command line or configuration. Another attempt changes nothing.")
	u.set("RestartPreventExitStatus", "2")
	u.comment("A worker that is asked to end finishes its tasks or hands them back. Only the worker gets the request.")
	u.set("KillMode", "mixed")
	u.set("TimeoutStopSec", fmt.Sprintf("%ds", int(Grace.Seconds())))
	o.unitLimits(u)
	o.unitSecurity(u)
	u.section("Install")
	u.set("WantedBy", "multi-user.target")
	return u.String()
}

func (o Options) unitLimits(u *unit) {
	u.set("MemoryMax", fmt.Sprintf("%dM", o.memory()))
	u.set("CPUQuota", fmt.Sprintf("%d%%", o.processor()/10))
	u.set("TasksMax", fmt.Sprint(o.processes()))
	u.comment("A task that needs too much memory does not end the worker.")
	u.set("OOMPolicy", "continue")
}

// unitSecurity leaves out what forbids the sandbox: ProtectKernelTunables, ProtectKernelLogs and ProtectProc cover parts of /proc, and
// the kernel then refuses another /proc; SystemCallFilter=@system-service and ProtectHostname forbid mounts or namespaces.
func (o Options) unitSecurity(u *unit) {
	state := strings.TrimPrefix(o.stateDir(), "/var/lib/")
	u.set("DynamicUser", "yes")
	u.set("StateDirectory", state)
	u.set("StateDirectoryMode", "0700")
	u.set("UMask", "0077")
	u.set("WorkingDirectory", o.stateDir())
	u.set("Environment", "HOME="+o.stateDir()+" AURA_HOME="+Configuration)
	u.set("NoNewPrivileges", "yes")
	u.set("CapabilityBoundingSet", "")
	u.set("ProtectSystem", "strict")
	u.set("ProtectHome", "yes")
	u.set("PrivateTmp", "yes")
	u.set("PrivateDevices", "yes")
	u.set("ProtectControlGroups", "yes")
	u.set("ProtectKernelModules", "yes")
	u.set("RestrictSUIDSGID", "yes")
	u.set("RestrictRealtime", "yes")
	u.set("LockPersonality", "yes")
	u.set("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6 AF_NETLINK")
	u.comment("The namespaces of aura's sandbox. Do not add ProtectKernelTunables, ProtectKernelLogs or ProtectProc:\nthe kernel would refuse a /proc of its own to the sandbox.")
	u.set("RestrictNamespaces", "user mnt pid ipc")
}

// command returns a command line of a unit. All arguments are checked; none contains a space, a quote or a control character.
func command(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = strings.NewReplacer("%", "%%", "$", "$$").Replace(arg)
	}
	return strings.Join(quoted, " ")
}

// unit is the text of a unit file.
type unit struct{ strings.Builder }

func (u *unit) section(name string) {
	if u.Len() > 0 {
		u.WriteString("\n")
	}
	u.WriteString("[" + name + "]\n")
}

func (u *unit) set(key, value string) { u.WriteString(key + "=" + value + "\n") }

func (u *unit) comment(text string) {
	u.WriteString("# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n")
}

func join(names []string) string { return strings.Join(names, ", ") }
