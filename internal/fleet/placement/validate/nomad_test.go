package validate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/nomad/api"
)

// dockerKeys are the keys of Nomad's Docker driver that the specifications use, from its documentation. The driver's own types are
// in a module whose license does not allow its use here.
var dockerKeys = []string{"image", "args", "cap_drop", "security_opt", "readonly_rootfs", "pids_limit", "mount", "work_dir"}

func TestNomad(t *testing.T) {
	t.Parallel()
	for name, text := range specifications(t, "nomad*.json") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job, err := decodeJob(text)
			if err != nil {
				t.Fatal(err)
			}
			want := api.JobTypeService
			if isJob(name) {
				want = api.JobTypeBatch
			}
			if *job.Type != want || *job.ID == "" || len(job.TaskGroups) != 1 || *job.TaskGroups[0].Count < 1 {
				t.Errorf("unexpected job: %+v", job)
			}
			job.Canonicalize()
			for _, task := range job.TaskGroups[0].Tasks {
				checkTask(t, task, isRestricted(name))
			}
			worker := job.TaskGroups[0].Tasks[1]
			if *worker.KillTimeout != grace*time.Second || *worker.Resources.MemoryMaxMB < *worker.Resources.MemoryMB {
				t.Errorf("unexpected worker: %s %+v", worker.KillTimeout, worker.Resources)
			}
			for _, tmpl := range worker.Templates {
				if !*tmpl.Envvars || !strings.HasPrefix(*tmpl.DestPath, "secrets/") || strings.Count(*tmpl.EmbeddedTmpl, "toJSON") != 6 {
					t.Errorf("unexpected template: %+v", tmpl)
				}
			}
		})
	}
}

func checkTask(t *testing.T, task *api.Task, restricted bool) {
	t.Helper()
	for key := range task.Config {
		if !slices.Contains(dockerKeys, key) {
			t.Errorf("%s: the Docker driver is not known to have %q", task.Name, key)
		}
	}
	options := fmt.Sprint(task.Config["security_opt"])
	if !strings.Contains(options, "no-new-privileges") || strings.Contains(options, "seccomp=unconfined") == restricted || task.Config["privileged"] != nil ||
		task.Config["readonly_rootfs"] != true || strings.HasPrefix(task.User, "0") || task.User == "" {
		t.Errorf("%s: unexpected privileges: %s %v", task.Name, task.User, task.Config)
	}
}

// decodeJob decodes a job and checks that no key got lost. Some types of Nomad decode themselves and ignore unknown keys, so it
// encodes the result again and compares.
func decodeJob(text []byte) (*api.Job, error) {
	var got struct{ Job *api.Job }
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		return nil, err
	}
	again, err := json.Marshal(got)
	if err != nil {
		return nil, err
	}
	var want, have any
	if err := json.Unmarshal(text, &want); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(again, &have); err != nil {
		return nil, err
	}
	return got.Job, within(want, have, "")
}

// within reports what of want is not in have.
func within(want, have any, at string) error {
	switch w := want.(type) {
	case map[string]any:
		h, _ := have.(map[string]any)
		for key, value := range w {
			if err := within(value, h[key], at+"."+key); err != nil {
				return err
			}
		}
	case []any:
		h, _ := have.([]any)
		if len(h) != len(w) {
			return fmt.Errorf("%s has %d entries, want %d", at, len(h), len(w))
		}
		for i := range w {
			if err := within(w[i], h[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	default:
		if want != have {
			return fmt.Errorf("%s is %v in Nomad's types, want %v", at, have, want)
		}
	}
	return nil
}

// TestNomadIsStrict checks that decodeJob finds wrong keys and types.
func TestNomadIsStrict(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"Job": {"Identifier": "x"}}`, `{"Job": {"TaskGroups": [{"Counts": 1}]}}`, `{"Job": {"TaskGroups": [{"Tasks": [{"KillTimeouts": 1}]}]}}`,
		`{"Job": {"TaskGroups": [{"Tasks": [{"Resources": {"MemoryGB": 1}}]}]}}`, `{"Job": {"TaskGroups": [{"Tasks": [{"KillTimeout": "long"}]}]}}`,
	} {
		if _, err := decodeJob([]byte(text)); err == nil {
			t.Errorf("%s passes", text)
		}
	}
}
