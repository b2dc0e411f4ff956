package config

import (
	"reflect"
	"strings"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// FileType describes a kind of configuration file.
type FileType struct {
	// Name is the name of the folder, below config/ or in the home itself. One is the name of an entity in messages.
	Name, One string
	// Folder is relative to the home.
	Folder string
	// Markdown files hold the described keys in their frontmatter.
	Markdown bool
	// Type is the type into which the reader decodes a file.
	Type reflect.Type
	// Defaults has the same field names as Type. It is nil if all defaults are zero.
	Defaults any
	// OneKey files have one top-level key.
	OneKey bool
	// Omit reports whether this kind of file lacks the key at a dotted path, although the type has it. If Omit is nil, no key is
	// omitted.
	Omit func(path string) bool
}

// FileTypes returns all kinds of files in config/ and skills/ of a home, sorted by name.
func FileTypes() []FileType {
	features := defaultFeatures()
	return []FileType{
		markdown[agentFile]("agents", "agent", "config/agents"),
		markdown[Command]("commands", "command", "config/commands"),
		{Name: "features", One: "feature", Folder: "config/features", Type: reflect.TypeFor[featureFile](), Defaults: features, OneKey: true},
		yamlMap[hookFile]("hooks", "hook", "config/hooks"),
		yamlMap[mcpFile]("mcp", "mcp server", "config/mcp"),
		markdown[modeFile]("modes", "mode", "config/modes"),
		markdown[Prompt]("prompts", "prompt", "config/prompts"),
		yamlMap[Provider]("providers", "provider", providersFolder),
		{
			Name: "sandbox", One: "sandbox", Folder: "config/sandbox", Type: reflect.TypeFor[featureFile](), Defaults: features, OneKey: true,
			Omit: func(path string) bool { return path != sandboxKey && !strings.HasPrefix(path, sandboxKey+".") },
		},
		markdown[Skill]("skills", "skill", "skills"),
		yamlMap[taskFile]("tasks", "task", "config/tasks"),
		yamlMap[toolFile]("tools", "tool", "config/tools"),
	}
}

func markdown[T any](name, one, folder string) FileType {
	return FileType{Name: name, One: one, Folder: folder, Markdown: true, Type: reflect.TypeFor[T](), Omit: ofHomes}
}

func yamlMap[T any](name, one, folder string) FileType {
	return FileType{Name: name, One: one, Folder: folder, Type: reflect.TypeFor[map[string]T](), Omit: ofHomes}
}

// ofHomes reports whether a path is a feature that only a home can set; see checkOverrides.
func ofHomes(path string) bool {
	return strings.HasSuffix(path, featuresKey+"."+trustKey) || strings.HasSuffix(path, featuresKey+"."+screenKey) ||
		strings.HasSuffix(path, featuresKey+"."+acpKey) || strings.HasSuffix(path, featuresKey+"."+pluginsKey+".dir") ||
		strings.HasSuffix(path, featuresKey+"."+pluginsKey+".signed")
}

// YAMLValues implements strictyaml.Listed.
func (ProviderType) YAMLValues() []string {
	var out []string
	for _, t := range providerTypes {
		out = append(out, string(t))
	}
	return out
}

// YAMLValues implements strictyaml.Listed.
func (MCPType) YAMLValues() []string { return []string{string(MCPStdio), string(MCPHTTP)} }

// YAMLValues implements strictyaml.Listed.
func (TrustRule) YAMLValues() []string { return []string{string(TrustAny), string(TrustPinned)} }

// YAMLSchema implements strictyaml.Described.
func (Think) YAMLSchema() map[string]any {
	return map[string]any{"enum": []any{true, false, "on", "off", "low", "medium", "high"}}
}

// YAMLSchema implements strictyaml.Described. A number is in seconds.
func (Timeout) YAMLSchema() map[string]any {
	return map[string]any{"type": []any{"string", "number"}, "pattern": strictyaml.DurationPattern, "exclusiveMinimum": 0}
}

// YAMLSchema implements strictyaml.Described.
func (Names) YAMLSchema() map[string]any { return textOrTexts() }

// YAMLSchema implements strictyaml.Described.
func (Text) YAMLSchema() map[string]any { return textOrTexts() }

func textOrTexts() map[string]any {
	return map[string]any{"type": []any{"string", "array"}, "items": map[string]any{"type": "string"}}
}

// hookEvent is the event of a shell hook.
type hookEvent string

// YAMLValues implements strictyaml.Listed.
func (hookEvent) YAMLValues() []string { return hooks.Events() }

// hookProtocol is the protocol of a shell hook.
type hookProtocol string

// YAMLValues returns the protocols of hooks.
func (hookProtocol) YAMLValues() []string { return hooks.Protocols() }

// hookSeconds is the timeout of a shell hook, in seconds.
type hookSeconds int

// YAMLSchema implements strictyaml.Described.
func (hookSeconds) YAMLSchema() map[string]any {
	return map[string]any{"type": "integer", "minimum": 1, "maximum": maxHookTimeout}
}
