package validate_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

func TestKubernetes(t *testing.T) {
	t.Parallel()
	for name, text := range specifications(t, "kubernetes*.yaml") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if isJob(name) {
				checkJob(t, text)
				return
			}
			var d appsv1.Deployment
			if err := yaml.UnmarshalStrict(text, &d); err != nil {
				t.Fatal(err)
			}
			selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
			if err != nil || !selector.Matches(labels.Set(d.Spec.Template.Labels)) {
				t.Errorf("the selector does not find the pods: %v", err)
			}
			if d.APIVersion != "apps/v1" || d.Kind != "Deployment" || *d.Spec.Replicas < 1 {
				t.Errorf("got %s %s with %d replicas", d.APIVersion, d.Kind, *d.Spec.Replicas)
			}
			checkPod(t, d.Spec.Template.Spec, corev1.RestartPolicyAlways, isRestricted(name))
		})
	}
}

func checkJob(t *testing.T, text []byte) {
	t.Helper()
	var j batchv1.Job
	if err := yaml.UnmarshalStrict(text, &j); err != nil {
		t.Fatal(err)
	}
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || *j.Spec.CompletionMode != batchv1.IndexedCompletion || *j.Spec.Completions != *j.Spec.Parallelism {
		t.Errorf("not an Indexed Job: %+v", j.Spec)
	}
	if len(j.Spec.PodFailurePolicy.Rules) != 2 || j.Spec.PodFailurePolicy.Rules[0].Action != batchv1.PodFailurePolicyActionIgnore ||
		j.Spec.PodFailurePolicy.Rules[1].Action != batchv1.PodFailurePolicyActionFailIndex || *j.Spec.PodReplacementPolicy != batchv1.Failed {
		t.Errorf("unknown policy: %+v", j.Spec.PodFailurePolicy)
	}
	checkPod(t, j.Spec.Template.Spec, corev1.RestartPolicyNever, false)
}

func checkPod(t *testing.T, p corev1.PodSpec, restart corev1.RestartPolicy, restricted bool) {
	t.Helper()
	if p.RestartPolicy != restart || *p.TerminationGracePeriodSeconds != grace || *p.AutomountServiceAccountToken || len(p.Containers) != 1 {
		t.Errorf("unexpected pod: %+v", p)
	}
	if !*p.SecurityContext.RunAsNonRoot || *p.SecurityContext.RunAsUser == 0 || (p.HostUsers == nil) != restricted {
		t.Errorf("unexpected users: %+v %v", p.SecurityContext, p.HostUsers)
	}
	c := p.Containers[0]
	checkSecurity(t, c.SecurityContext, restricted)
	checkVariables(t, c.Env)
	if c.StartupProbe == nil || c.StartupProbe.Exec == nil {
		t.Error("there is no probe")
	}
	for resource, limit := range c.Resources.Limits {
		request, ok := c.Resources.Requests[resource]
		if !ok || request.Cmp(limit) > 0 || limit.IsZero() {
			t.Errorf("%s: requests %v, limit %v", resource, request, limit)
		}
	}
	if len(c.Resources.Limits) != 3 {
		t.Errorf("limits: %v", c.Resources.Limits)
	}
	volumes := map[string]bool{}
	for _, v := range p.Volumes {
		volumes[v.Name] = v.EmptyDir != nil && !v.EmptyDir.SizeLimit.IsZero()
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("%s has no bounded volume %s", m.MountPath, m.Name)
		}
	}
}

// checkSecurity checks that the sandbox has what it needs, and that nothing else is allowed.
func checkSecurity(t *testing.T, s *corev1.SecurityContext, restricted bool) {
	t.Helper()
	if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" ||
		len(s.Capabilities.Add) != 0 || s.Privileged != nil {
		t.Errorf("too many privileges: %+v", s)
	}
	seccomp := corev1.SeccompProfileTypeUnconfined
	if restricted {
		seccomp = corev1.SeccompProfileTypeRuntimeDefault
	}
	if s.SeccompProfile.Type != seccomp || (s.AppArmorProfile == nil) != restricted || (s.ProcMount == nil) != restricted {
		t.Errorf("unexpected profiles: %+v", s)
	}
	if !restricted && (s.AppArmorProfile.Type != corev1.AppArmorProfileTypeUnconfined || *s.ProcMount != corev1.UnmaskedProcMount) {
		t.Errorf("unexpected profiles: %+v", s)
	}
}

// checkVariables checks that all variables but the two paths are references.
func checkVariables(t *testing.T, env []corev1.EnvVar) {
	t.Helper()
	for _, e := range env {
		own := e.Name == "HOME" || e.Name == "AURA_HOME"
		switch {
		case own != (e.ValueFrom == nil) || own != (e.Value != ""):
			t.Errorf("%s has a value: %q", e.Name, e.Value)
		case own:
		case e.ValueFrom.SecretKeyRef != nil && e.ValueFrom.SecretKeyRef.Key != e.Name,
			e.ValueFrom.ConfigMapKeyRef != nil && e.ValueFrom.ConfigMapKeyRef.Key != e.Name,
			(e.ValueFrom.SecretKeyRef == nil) == (e.ValueFrom.ConfigMapKeyRef == nil):
			t.Errorf("%s refers to something else: %+v", e.Name, e.ValueFrom)
		}
	}
}

// TestKubernetesIsStrict checks that the check above finds a wrong key, a wrong type and a wrong quantity.
func TestKubernetesIsStrict(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"spec: {replica: 1}", "spec: {replicas: one}", "spec: {template: {spec: {containers: [{resources: {limits: {memory: 1Xi}}}]}}}"} {
		if err := yaml.UnmarshalStrict([]byte(text), &appsv1.Deployment{}); err == nil {
			t.Errorf("%s passes", text)
		}
	}
}
