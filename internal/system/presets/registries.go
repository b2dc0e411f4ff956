package presets

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

func (s *search) golang() {
	text, ok := s.ask([]string{"GOTOOLCHAIN=local", "GOWORK=off"}, "go", "env", "-json", "GOPROXY", "GOSUMDB", "GOPRIVATE")
	if !ok {
		return
	}
	var env map[string]string
	if err := json.Unmarshal([]byte(text), &env); err != nil {
		s.addNote("go env: %v", err)
		return
	}
	for _, proxy := range strings.FieldsFunc(env["GOPROXY"], func(r rune) bool { return r == ',' || r == '|' }) {
		switch proxy = strings.TrimSpace(proxy); proxy {
		case "off":
		case "direct":
			s.addNote("a module that GOPROXY's proxies do not have comes from its own host; write such hosts into sandbox.network.allow")
		default:
			s.addURL(proxy, "go env GOPROXY")
		}
	}
	// The value is off, the name of a database, which is its host, or a key and a URL.
	switch fields := strings.Fields(env["GOSUMDB"]); {
	case len(fields) == 2:
		s.addURL(fields[1], "go env GOSUMDB")
	case len(fields) == 1 && fields[0] != "off":
		name, _, _ := strings.Cut(fields[0], "+")
		s.addURL("https://"+name, "go env GOSUMDB")
	}
	for pattern := range strings.SplitSeq(env["GOPRIVATE"], ",") {
		if host, _, _ := strings.Cut(strings.TrimSpace(pattern), "/"); strings.Contains(host, ".") {
			s.add(host, "go env GOPRIVATE")
		}
	}
}

func (s *search) npm() {
	text, ok := s.ask([]string{"npm_config_update_notifier=false"}, "npm", "config", "list", "--json")
	if !ok {
		return
	}
	var settings map[string]any
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		s.addNote("npm config list: %v", err)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if value, ok := settings[key].(string); ok && (key == "registry" || strings.HasSuffix(key, ":registry")) {
			s.addURL(value, "npm config list, "+key)
		}
	}
}

// pipDefaults prints the index that pip uses without settings, and the host of its files.
const pipDefaults = "from pip._internal.models.index import PyPI; print(PyPI.simple_url); print('https://' + PyPI.file_storage_domain)"

func (s *search) pypi() {
	text, ok := s.ask(nil, "python3", "-I", "-m", "pip", "config", "list")
	if !ok {
		return
	}
	replaced := false
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		_, name, _ := strings.Cut(key, ".")
		if name = strings.ReplaceAll(name, "_", "-"); name != "index-url" && name != "extra-index-url" {
			continue
		}
		replaced = replaced || name == "index-url"
		// A value is a Python string; several URLs are separated by line breaks, written as \n.
		for address := range strings.FieldsSeq(strings.ReplaceAll(strings.Trim(value, `'"`), `\n`, " ")) {
			s.addURL(address, "pip config list, "+key)
		}
	}
	if !replaced {
		if text, ok := s.ask(nil, "python3", "-I", "-c", pipDefaults); ok {
			for address := range strings.FieldsSeq(text) {
				s.addURL(address, "pip's own default")
			}
		}
		return
	}
	s.addNote("an index can name other hosts for the files of packages; if one is refused, write it into sandbox.network.allow")
}

func (s *search) crates() {
	home := s.variable("CARGO_HOME")
	if home == "" {
		home = s.inHome(".cargo")
	}
	for _, name := range []string{"config.toml", "config"} {
		file := filepath.Join(home, name)
		var config struct {
			Registries map[string]struct {
				Index string `toml:"index"`
			} `toml:"registries"`
			Source map[string]struct {
				Registry string `toml:"registry"`
			} `toml:"source"`
		}
		if err := toml.Unmarshal(s.read(file), &config); err != nil {
			s.addNote("%s: %v", file, err)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(config.Registries)) {
			s.addURL(config.Registries[name].Index, file+", registries."+name)
		}
		for _, name := range slices.Sorted(maps.Keys(config.Source)) {
			s.addURL(config.Source[name].Registry, file+", source."+name)
		}
	}
	for _, entry := range s.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "CARGO_REGISTRIES_") && strings.HasSuffix(name, "_INDEX") {
			s.addURL(value, "the variable "+name)
		}
	}
	s.addNote("cargo does not say which registry it uses without settings, nor where an index keeps the packages; write these hosts into sandbox.network.allow")
}

func (s *search) debian() {
	text, ok := s.ask(nil, "apt-get", "indextargets", "--format", "$(SITE)")
	if !ok {
		return
	}
	for line := range strings.Lines(text) {
		s.addURL(line, "apt-get indextargets")
	}
}

func (s *search) maven() {
	paths := []string{s.inHome(".m2", "settings.xml")}
	for _, name := range []string{"MAVEN_HOME", "M2_HOME"} {
		if home := s.variable(name); home != "" {
			paths = append(paths, filepath.Join(home, "conf", "settings.xml"))
		}
	}
	paths = append(paths, filepath.Join(s.etc(), "maven", "settings.xml"))
	all := false
	for _, path := range paths {
		mirrored, err := s.mavenSettings(path)
		if err != nil {
			s.addNote("%s: %v", path, err)
		}
		all = all || mirrored
	}
	if !all {
		s.addNote("mvn does not say which repository it uses without settings; write its host into sandbox.network.allow")
	}
}

// mavenSettings adds the hosts of a settings.xml. It reports whether a mirror replaces every repository.
func (s *search) mavenSettings(path string) (mirrored bool, err error) {
	data := s.read(path)
	if data == nil {
		return false, nil
	}
	var settings struct {
		Mirrors []struct {
			URL string `xml:"url"`
			Of  string `xml:"mirrorOf"`
			// Blocked mirrors stand for repositories that are never used.
			Blocked bool `xml:"blocked"`
		} `xml:"mirrors>mirror"`
		Profiles []struct {
			Repositories []string `xml:"repositories>repository>url"`
			Plugins      []string `xml:"pluginRepositories>pluginRepository>url"`
		} `xml:"profiles>profile"`
	}
	if err := xml.NewDecoder(bytes.NewReader(data)).Decode(&settings); err != nil {
		return false, err
	}
	for _, m := range settings.Mirrors {
		if m.Blocked {
			continue
		}
		s.addURL(m.URL, path+", mirrors")
		mirrored = mirrored || strings.TrimSpace(m.Of) == "*"
	}
	for _, p := range settings.Profiles {
		for _, address := range slices.Concat(p.Repositories, p.Plugins) {
			s.addURL(address, path+", profiles")
		}
	}
	return mirrored, nil
}
