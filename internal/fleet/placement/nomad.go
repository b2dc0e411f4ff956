package placement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object. Its keys are sorted when it is written.
type object map[string]any

// Nomad returns a job in Nomad's JSON form: a service, or with Options.Job a batch.
func Nomad(o Options) ([]byte, error) {
	if err := o.check("nomad"); err != nil {
		return nil, err
	}
	job := object{"ID": Name, "Name": Name, "Type": "service", "TaskGroups": []object{o.nomadGroup()}}
	if o.Job {
		job["Type"] = "batch"
	}
	if o.Namespace != "" {
		job["Namespace"] = o.Namespace
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(object{"Job": job}); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return out.Bytes(), nil
}

func (o Options) nomadGroup() object {
	group := object{
		"Name": Name, "Count": o.Replicas, "Tasks": []object{o.sandboxTask(), o.nomadTask()},
		"EphemeralDisk": object{"SizeMB": o.disk()},
	}
	if o.Job {
		// Another worker takes the place of one that failed, on another machine if necessary, but not for ever.
		group["ReschedulePolicy"] = object{"Attempts": 3, "Interval": nanoseconds(24 * 3600), "Unlimited": false}
	}
	return group
}

// sandboxTask runs before the worker. It fails on a machine that cannot confine tools and plugins.
func (o Options) sandboxTask() object {
	task := o.dockerTask("sandbox", probe()[1:])
	task["Lifecycle"] = object{"Hook": "prestart", "Sidecar": false}
	task["Resources"] = object{"CPU": 100, "MemoryMB": baseRequest}
	return task
}

func (o Options) nomadTask() object {
	task := o.dockerTask("worker", o.args())
	task["KillTimeout"], task["KillSignal"] = nanoseconds(int(Grace.Seconds())), "SIGTERM"
	task["Resources"] = object{"CPU": o.processor(), "MemoryMB": o.request(), "MemoryMaxMB": o.memory()}
	if names := o.variables(); len(names) > 0 {
		task["Templates"] = []object{{
			"EmbeddedTmpl": nomadVariables(names), "DestPath": "secrets/worker.env", "Envvars": true, "Perms": "0400",
		}}
	}
	return task
}

// dockerTask returns a task that runs aura in its image, under what the sandbox needs.
func (o Options) dockerTask(name string, args []string) object {
	options := []string{"no-new-privileges"}
	if !o.Restricted {
		options = append(options, "seccomp=unconfined", "apparmor=unconfined")
	}
	// The home directory is Nomad's directory of the task, which is on a disk. Temporary files are in memory, because no other
	// directory of the image belongs to this container alone.
	env := object{"HOME": "${NOMAD_TASK_DIR}", "AURA_HOME": Configuration}
	tmp := object{"type": "tmpfs", "target": temporary, "tmpfs_options": []object{{"mode": 0o1777, "size": o.request() << 20}}}
	return object{
		"Name": name, "Driver": "docker", "User": fmt.Sprintf("%d:%d", User, User), "Env": env,
		"Config": object{
			"image": o.Image, "args": args, "cap_drop": []string{"all"}, "security_opt": options,
			"readonly_rootfs": true, "work_dir": Workdir, "pids_limit": o.processes(), "mount": []object{tmp},
		},
	}
}

// nomadVariables returns a template that reads variables from the job's own path. toJSON quotes the values.
func nomadVariables(names []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "{{ with nomadVar %q }}\n", "nomad/jobs/"+Name)
	for _, name := range names {
		fmt.Fprintf(&out, "%s={{ .%s.Value | toJSON }}\n", name, name)
	}
	out.WriteString("{{ end }}\n")
	return out.String()
}

// nanoseconds is how Nomad's JSON has durations.
func nanoseconds(seconds int) int64 { return int64(seconds) * 1e9 }
