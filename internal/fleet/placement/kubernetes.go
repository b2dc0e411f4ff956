package placement

import (
	"fmt"
	"strconv"
)

// Kubernetes returns a Deployment of workers, or with Options.Job an Indexed Job.
func Kubernetes(o Options) ([]byte, error) {
	if err := o.check("kubernetes"); err != nil {
		return nil, err
	}
	root := fields{{key: "apiVersion", value: "apps/v1"}, {key: "kind", value: "Deployment"}, {key: "metadata", value: o.metadata()}, {key: "spec", value: o.deployment()}}
	if o.Job {
		root = fields{{key: "apiVersion", value: "batch/v1"}, {key: "kind", value: "Job"}, {key: "metadata", value: o.metadata()}, {key: "spec", value: o.job()}}
	}
	return document(o.kubernetesNote(), root)
}

func (o Options) kubernetesNote() string {
	note := "# Workers of an aura fleet. Apply it with: kubectl apply -f FILE\n"
	if len(o.Secrets) > 0 {
		note += "# The Secret " + Name + " must have a key for each of: " + join(o.Secrets) + "\n"
	}
	if len(o.Env) > 0 {
		note += "# The ConfigMap " + Name + " must have a key for each of: " + join(o.Env) + "\n"
	}
	if o.Restricted {
		return note + "# This fits the Pod Security Standard \"restricted\". Landlock and seccomp confine tools and plugins, without mount namespaces.\n"
	}
	return note + "# This needs a namespace with the Pod Security Standard \"privileged\", and Kubernetes 1.33 for the pod's user namespace.\n"
}

func labels() fields { return fields{{key: "app.kubernetes.io/name", value: Name}} }

func (o Options) metadata() fields {
	m := fields{{key: "name", value: Name}, {key: "labels", value: labels()}}
	if o.Namespace != "" {
		m = append(m, field{key: "namespace", value: o.Namespace})
	}
	return m
}

func (o Options) deployment() fields {
	return fields{
		{key: "replicas", value: o.Replicas},
		{key: "selector", value: fields{{key: "matchLabels", value: labels()}}},
		{key: "template", value: o.template("Always")},
	}
}

func (o Options) job() fields {
	return fields{
		{key: "completionMode", value: "Indexed"},
		{key: "completions", value: o.Replicas},
		{key: "parallelism", value: o.Replicas},
		{key: "backoffLimitPerIndex", value: 3, why: "A worker that fails again and again does not end the others."},
		{key: "podReplacementPolicy", value: "Failed"},
		{key: "podFailurePolicy", value: fields{{key: "rules", value: items{
			fields{
				{key: "action", value: "Ignore", why: "An evicted worker has handed its tasks back. Another one takes its place."},
				{key: "onPodConditions", value: items{fields{{key: "type", value: "DisruptionTarget"}, {key: "status", value: "True"}}}},
			},
			fields{
				{key: "action", value: "FailIndex", why: "Exit code 2 is a wrong command line or configuration. Another attempt changes nothing."},
				{key: "onExitCodes", value: fields{{key: "containerName", value: "worker"}, {key: "operator", value: "In"}, {key: "values", value: items{2}}}},
			},
		}}}},
		{key: "ttlSecondsAfterFinished", value: 86400},
		{key: "template", value: o.template("Never")},
	}
}

func (o Options) template(restart string) fields {
	pod := fields{
		{key: "restartPolicy", value: restart},
		{key: "terminationGracePeriodSeconds", value: int(Grace.Seconds()), why: "A worker that is asked to end finishes its tasks or hands them back."},
		{key: "automountServiceAccountToken", value: false, why: "Tasks have no access to the cluster."},
		{key: "enableServiceLinks", value: false},
	}
	if !o.Restricted {
		pod = append(pod, field{
			key: "hostUsers", value: false,
			why: "The pod has its own user namespace: what the lines below allow ends at the pod.",
		})
	}
	pod = append(pod,
		field{key: "securityContext", value: o.podSecurity()},
		field{key: "containers", value: items{o.container()}},
		field{key: "volumes", value: o.volumes()},
	)
	return fields{{key: "metadata", value: fields{{key: "labels", value: labels()}}}, {key: "spec", value: pod}}
}

func (o Options) podSecurity() fields {
	return fields{
		{key: "runAsNonRoot", value: true},
		{key: "runAsUser", value: User},
		{key: "runAsGroup", value: User},
		{key: "fsGroup", value: User},
	}
}

func (o Options) container() fields {
	c := fields{
		{key: "name", value: "worker"},
		{key: "image", value: o.Image},
		{key: "args", value: lines(o.args())},
		{key: "workingDir", value: Workdir},
		{key: "env", value: o.kubernetesEnv()},
		{key: "resources", value: o.resources()},
		{key: "securityContext", value: o.containerSecurity()},
	}
	c = append(c, field{key: "startupProbe", why: "A node that cannot confine tools and plugins runs no task.", value: fields{
		{key: "exec", value: fields{{key: "command", value: lines(probe())}}},
		{key: "periodSeconds", value: 5},
		{key: "timeoutSeconds", value: 15},
		{key: "failureThreshold", value: 6},
	}})
	return append(c, field{key: "volumeMounts", value: items{
		fields{{key: "name", value: "home"}, {key: "mountPath", value: Home}},
		fields{{key: "name", value: "tmp"}, {key: "mountPath", value: temporary}},
	}})
}

func (o Options) containerSecurity() fields {
	s := fields{
		{key: "allowPrivilegeEscalation", value: false},
		{key: "readOnlyRootFilesystem", value: true},
		{key: "capabilities", value: fields{{key: "drop", value: items{"ALL"}}}},
	}
	if o.Restricted {
		return append(s, field{key: "seccompProfile", value: fields{{key: "type", value: "RuntimeDefault"}}})
	}
	return append(s,
		field{
			key: "seccompProfile", value: fields{{key: "type", value: "Unconfined"}},
			why: "The usual profiles forbid the user, mount and process namespaces of aura's sandbox,\nand aura filters the system calls of tools and plugins itself.",
		},
		field{key: "appArmorProfile", value: fields{{key: "type", value: "Unconfined"}}},
		field{key: "procMount", value: "Unmasked", why: "Without this the kernel refuses a /proc of its own to the sandbox."},
	)
}

// kubernetesEnv refers to the values of all variables.
func (o Options) kubernetesEnv() items {
	env := items{
		fields{{key: "name", value: "HOME"}, {key: "value", value: Home}},
		fields{{key: "name", value: "AURA_HOME"}, {key: "value", value: Configuration}},
	}
	add := func(name, kind string) {
		ref := fields{{key: "name", value: Name}, {key: "key", value: name}}
		env = append(env, fields{{key: "name", value: name}, {key: "valueFrom", value: fields{{key: kind, value: ref}}}})
	}
	for _, name := range o.Secrets {
		add(name, "secretKeyRef")
	}
	for _, name := range o.Env {
		add(name, "configMapKeyRef")
	}
	return env
}

func (o Options) resources() fields {
	return fields{
		{key: "requests", value: fields{{key: "cpu", value: fmt.Sprintf("%dm", o.share())}, {key: "memory", value: mebi(o.request())}, {key: "ephemeral-storage", value: mebi(baseDisk)}}},
		{key: "limits", value: fields{{key: "cpu", value: fmt.Sprintf("%dm", o.processor())}, {key: "memory", value: mebi(o.memory())}, {key: "ephemeral-storage", value: mebi(o.disk())}}},
	}
}

func (o Options) volumes() items {
	var out items
	for _, name := range []string{"home", "tmp"} {
		out = append(out, fields{{key: "name", value: name}, {key: "emptyDir", value: fields{{key: "sizeLimit", value: mebi(o.disk())}}}})
	}
	return out
}

func mebi(n int) string { return strconv.Itoa(n) + "Mi" }
