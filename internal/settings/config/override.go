package config

import (
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// checkOverrides checks features that are set outside features/.
func (d declaration) checkOverrides() error {
	var content featureFile
	if err := strictyaml.DecodeNode(d.File, d.node(), &content); err != nil {
		return err
	}
	if content.Plugins.Dir != nil {
		return d.wrong([]string{pluginsKey, "dir"}, "a directory of plugins belongs to a home: set it in its features/plugins.yaml")
	}
	if content.Plugins.Signed != nil {
		return d.wrong([]string{pluginsKey, "signed"}, "plugins are installed and loaded for all agents: set it in the features/plugins.yaml of a home")
	}
	if content.Plugins.Verify != nil {
		return d.wrong([]string{pluginsKey, "verify"}, onlyUserVerify)
	}
	if content.Trust != "" {
		return d.wrong([]string{trustKey}, "only the user's home decides how consent is given: set it in its features/trust.yaml")
	}
	if content.Screen.isSet() {
		return d.wrong([]string{screenKey}, onlyUser)
	}
	if value(d.node(), acpKey) != nil {
		return d.wrong([]string{acpKey}, onlyUserACP)
	}
	return d.checkFeatures(content.Plugins)
}

// FeaturesFor returns the features that apply to an agent in a mode with a task: the settings of the homes, overridden by those
// of the agent, then the mode, then the task. agent and mode may be zero values, and task may be nil. All three must come from
// this configuration.
func (c *Config) FeaturesFor(agent Agent, mode Mode, task *Task) (Features, error) {
	if task == nil {
		task = &Task{}
	}
	if err := c.permitMode(mode); err != nil {
		return Features{}, fmt.Errorf("choosing the mode: %w", err)
	}
	layers := []struct {
		kind, name string
		set        map[string]any
		made       lineage
	}{
		{"agent", agent.Name, agent.Features, agent.made},
		{"mode", mode.Name, mode.Features, mode.made},
		{"task", task.Name, task.Features, task.made},
	}
	f, set := c.unlimited(), slices.Clone(c.globals.set)
	for _, layer := range layers {
		if len(layer.set) == 0 {
			continue
		}
		if len(layer.made) == 0 {
			return Features{}, fmt.Errorf("choosing features: %s %q sets some, but is not part of the configuration", layer.kind, layer.name)
		}
		var err error
		if f, err = f.with(layer.made.own().Source, value(layer.made.node(), featuresKey)); err != nil {
			return Features{}, fmt.Errorf("choosing features of %s %q: %w", layer.kind, layer.name, err)
		}
		for _, d := range layer.made {
			set = append(set, d.below(featuresKey))
		}
	}
	f.Sandbox.EnvFiles = task.EnvFiles()
	f = c.restricted(f)
	for _, of := range []Policy{agent.Tools.Policy, mode.Tools.Policy, task.Tools.Policy} {
		if len(of.Auto) > 0 {
			f.refuse(c.Machine.ApprovalRules()) // setup drops them
		}
	}
	return f, c.checkSummariser(f.Compaction, set)
}

// restricted returns features with what the command line decides, within the policy of the machine.
func (c *Config) restricted(f Features) Features {
	f.Plugins.Unsafe = f.Plugins.Unsafe && !c.safePlugins
	if c.network != nil {
		f.Sandbox.Network = Network{Setting: *c.network, Written: true}
	}
	return c.limited(f)
}

// checkSummariser checks that the agent and the prompt that compaction names exist. Otherwise the error would occur only when the
// context is full.
func (c *Config) checkSummariser(of Compaction, set lineage) error {
	wrong := func(key, name, known string) error {
		return set.at(compactionKey, key).wrong([]string{compactionKey, key}, "unknown %s %q; known: %s", key, name, known)
	}
	if _, ok := c.Agents[of.Agent]; !ok && of.Agent != "" {
		return wrong("agent", of.Agent, names(c.Agents))
	}
	if _, ok := c.Prompts[of.Prompt]; !ok && of.Prompt != "" {
		return wrong("prompt", of.Prompt, names(c.Prompts))
	}
	return nil
}
