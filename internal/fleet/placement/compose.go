package placement

import "fmt"

// Compose returns a Compose file.
func Compose(o Options) ([]byte, error) {
	if err := o.check("compose"); err != nil {
		return nil, err
	}
	note := "# Workers of an aura fleet. Start them with: docker compose up --detach\n"
	if names := o.variables(); len(names) > 0 {
		note += "# Docker Compose takes these variables from its own environment: " + join(names) + "\n"
	}
	return document(note, fields{
		{key: "name", value: Name},
		{key: "services", value: fields{{key: "worker", value: o.composeService()}}},
	})
}

func (o Options) composeService() fields {
	return append(fields{
		{key: "image", value: o.Image},
		{key: "command", value: lines(o.args())},
		{key: "working_dir", value: Workdir},
		{key: "environment", value: o.composeEnv()},
		{key: "user", value: fmt.Sprintf("%d:%d", User, User)},
		{key: "read_only", value: true},
		{key: "cap_drop", value: items{"ALL"}},
	}, append(o.composeSecurity(), fields{
		{key: "volumes", value: items{Home, temporary}, why: "A volume without a name belongs to one container."},
		{key: "restart", value: "unless-stopped"},
		{key: "stop_grace_period", value: fmt.Sprintf("%ds", int(Grace.Seconds())), why: "A worker that is asked to end finishes its tasks or hands them back."},
		{key: "healthcheck", value: fields{
			{key: "test", value: append(items{"CMD"}, lines(probe())...)},
			{key: "interval", value: "1h"},
			{key: "timeout", value: "15s"},
			{key: "start_period", value: "30s"},
			{key: "start_interval", value: "5s"},
		}, why: "A machine that cannot confine tools and plugins is unhealthy."},
		{key: "deploy", value: fields{
			{key: "replicas", value: o.Replicas},
			{key: "resources", value: fields{
				{key: "limits", value: fields{{key: "cpus", value: fmt.Sprint(o.processor() / slotProcessor)}, {key: "memory", value: fmt.Sprintf("%dM", o.memory())}, {key: "pids", value: o.processes()}}},
				{key: "reservations", value: fields{{key: "memory", value: fmt.Sprintf("%dM", o.request())}}},
			}},
		}},
	}...)...)
}

func (o Options) composeSecurity() fields {
	if o.Restricted {
		return fields{{key: "security_opt", value: items{"no-new-privileges:true"}}}
	}
	return fields{{
		key: "security_opt", value: items{"no-new-privileges:true", "seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"},
		why: "The usual profiles forbid the namespaces and the /proc of aura's sandbox,\nand aura filters the system calls of tools and plugins itself.",
	}}
}

// composeEnv passes variables on. A secret or a variable that is not set stops Compose with a message.
func (o Options) composeEnv() fields {
	env := fields{{key: "HOME", value: Home}, {key: "AURA_HOME", value: Configuration}}
	for _, name := range o.variables() {
		env = append(env, field{key: name, value: "${" + name + ":?set " + name + "}"})
	}
	return env
}
