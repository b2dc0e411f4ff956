package presets

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/system/gitconfig"
)

func (s *search) github() {
	dir := s.variable("GH_CONFIG_DIR")
	if dir == "" {
		dir = s.configDir("gh")
	}
	file := filepath.Join(dir, "hosts.yml")
	var hosts map[string]any
	if err := yaml.Unmarshal(s.read(file), &hosts); err != nil {
		s.addNote("%s: %v", file, err)
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		s.addForge(host, file)
	}
	s.forge("github", "gh", "GH_HOST")
}

func (s *search) gitlab() {
	dir := s.variable("GLAB_CONFIG_DIR")
	if dir == "" {
		dir = s.configDir("glab-cli")
	}
	file := filepath.Join(dir, "config.yml")
	var config struct {
		Hosts map[string]any `yaml:"hosts"`
	}
	if err := yaml.Unmarshal(s.read(file), &config); err != nil {
		s.addNote("%s: %v", file, err)
	}
	for _, host := range slices.Sorted(maps.Keys(config.Hosts)) {
		s.addForge(host, file)
	}
	s.forge("gitlab", "glab", "GITLAB_HOST")
}

func (s *search) configDir(name string) string {
	if dir := s.variable("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	return s.inHome(".config", name)
}

// addForge adds a host and the names below it, such as that of its interface for programs.
func (s *search) addForge(host, source string) {
	host, _, _ = strings.Cut(host, "/")
	s.add(host, source)
	if !strings.ContainsAny(host, ":[") && strings.Trim(host, "0123456789.") != "" {
		s.add("*."+host, source)
	}
}

// forge adds the hosts that the user's Git settings name for a kind of forge: those whose helper for credentials is the forge's tool, and
// those that have the forge's name in theirs.
func (s *search) forge(name, tool, variable string) {
	if host := s.variable(variable); host != "" {
		if u, err := url.Parse(host); err == nil && u.Host != "" {
			host = u.Host
		}
		s.addForge(host, "the variable "+variable)
	}
	for _, file := range []string{s.inHome(".gitconfig"), filepath.Join(s.configDir("git"), "config"), filepath.Join(s.etc(), "gitconfig")} {
		settings, err := gitconfig.Parse(s.read(file))
		if err != nil {
			s.addNote("%s: %v", file, err)
			continue
		}
		for _, setting := range settings {
			u, err := url.Parse(setting.Sub)
			if err != nil || u.Hostname() == "" || setting.Section != "credential" && setting.Section != "url" {
				continue
			}
			helper := setting.Section == "credential" && strings.Contains(setting.Value, tool+" auth")
			if helper || slices.Contains(strings.FieldsFunc(u.Hostname(), func(r rune) bool { return r == '.' || r == '-' }), name) {
				s.addForge(u.Host, file+", "+setting.Section)
			}
		}
	}
	if len(s.out.Hosts) == 0 {
		s.addNote("neither the settings of %s nor yours of git name a host; write the host into sandbox.network.allow", tool)
	}
}
