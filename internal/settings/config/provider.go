package config

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// ProviderType is the backend that a provider uses.
type ProviderType string

// The types of providers.
const (
	ProviderScript     ProviderType = "script"
	ProviderAnthropic  ProviderType = "anthropic"
	ProviderOpenAI     ProviderType = "openai"
	ProviderGoogle     ProviderType = "google"
	ProviderOllama     ProviderType = "ollama"
	ProviderLlamaCPP   ProviderType = "llamacpp"
	ProviderOpenRouter ProviderType = "openrouter"
)

var providerTypes = []ProviderType{
	ProviderAnthropic, ProviderOpenAI, ProviderGoogle, ProviderOllama, ProviderLlamaCPP, ProviderOpenRouter, ProviderScript,
}

// Provider is a source of models: providers/**/*.yaml, a map from names to providers.
type Provider struct {
	Name   string `yaml:"-"`
	Source Source `yaml:"-"`

	Type  ProviderType `check:"required" yaml:"type"`
	URL   string       `yaml:"url"`
	Token string       `yaml:"token"`
	// TokenFrom holds the variables that Token is made of.
	TokenFrom []string `yaml:"-"`
	// URLFrom is the environment variable that sets URL. It is empty if the configuration sets URL.
	URLFrom string `yaml:"-"`
	// Model is the model that is used unless the user or the agent names one. Empty leaves it to the backend.
	Model string `yaml:"model"`
	// Timeout limits one request. 0 leaves it to the backend.
	Timeout time.Duration `yaml:"timeout"`
	// IdleTimeout is how long the service may send nothing. 0 means the default of the provider's type.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
	Retry       Retry         `yaml:"retry"`
	// Models restricts the models that the provider offers.
	Models Models `yaml:"models"`
	// Prices maps patterns of model names to prices.
	Prices map[string]Prices `yaml:"prices"`
	// File is the absolute path of the script of a provider of type script. If it is empty, the built-in demonstration is used.
	File string `yaml:"file"`
	// Record is the absolute path of the file to which the provider's answers are written as a script. It is empty if nothing is
	// recorded.
	Record string `yaml:"record"`

	// unusable is the reason why the provider cannot be used, or nil.
	unusable error
}

// Usable returns the reason why the provider cannot be used, or nil. A token whose variable is not set is not a configuration
// error, because a user of several services rarely has the tokens of all of them.
func (p Provider) Usable() error { return p.unusable }

// Retry limits how a failed request is repeated. Zero values leave it to the backend.
type Retry struct {
	// MaxAttempts counts all requests of one call, including the first.
	MaxAttempts int           `yaml:"max_attempts"`
	BaseDelay   time.Duration `yaml:"base_delay"`
	MaxDelay    time.Duration `yaml:"max_delay"`
}

// Models holds patterns of model names. An empty Include means all models.
type Models struct {
	Include []string `yaml:"include"`
	Exclude []string `yaml:"exclude"`
}

// Prices is the cost of a model, in US dollars per million tokens.
type Prices struct {
	Input  *float64 `yaml:"input"`
	Output *float64 `yaml:"output"`
	// CacheRead and CacheWrite apply to input tokens that the service reads from its cache, and writes to it. Nil means the same
	// price as Input.
	CacheRead  *float64 `yaml:"cache_read"`
	CacheWrite *float64 `yaml:"cache_write"`
	// Search is the price of a thousand searches of the web. Nil means the list price, or no price if there is none.
	Search *float64 `yaml:"search"`
}

// maxPrice is far more than a million tokens cost, in US dollars.
const maxPrice = 1_000_000

// check refuses invalid prices. A wrong cost is worse than no cost.
func (p Prices) check(d document, path []string) error {
	for _, part := range []struct {
		key   string
		price *float64
		must  bool
	}{{"input", p.Input, true}, {"output", p.Output, true}, {"cache_read", p.CacheRead, false}, {"cache_write", p.CacheWrite, false}, {"search", p.Search, false}} {
		at := append(slices.Clone(path), part.key)
		switch {
		case part.price == nil && part.must:
			return d.fault(at, "missing: write the price of a million tokens in US dollars, such as 2.5, or 0 for a model that costs nothing")
		case part.price == nil:
		case math.IsNaN(*part.price) || *part.price < 0 || *part.price > maxPrice:
			return d.fault(at, "%v is not a price: write that of a million tokens in US dollars, such as 2.5", *part.price)
		case math.Abs(*part.price*1e6-math.Round(*part.price*1e6)) > 1e-3:
			return d.fault(at, "%v has more than six decimals", *part.price)
		}
	}
	return nil
}

func (l *loader) providers() (map[string]Provider, error) {
	scripts, err := l.scripts()
	if err != nil {
		return nil, err
	}
	return loadKind(l, kind[Provider]{
		name: "provider", folder: providersFolder, ext: yamlFiles,
		skip: func(s Source) bool {
			info, err := os.Stat(s.File)
			return err == nil && slices.ContainsFunc(scripts, func(script fs.FileInfo) bool { return os.SameFile(info, script) })
		},
		read: readMap(l, l.finishProvider, tokenKey),
	})
}

const (
	providersFolder = "config/providers"
	tokenKey        = "token"
	idleTimeoutKey  = "idle_timeout"
)

func (l *loader) finishProvider(d document, name string, p Provider) (Provider, error) {
	p.Name, p.Source = name, d.Source
	for _, match := range reference().FindAllString(p.Token, -1) {
		if variable := referenceName().FindStringSubmatch(match); variable != nil {
			p.TokenFrom = append(p.TokenFrom, variable[1])
		}
	}
	token, err := l.expand(d.Source, d.line(name, tokenKey), p.Token)
	if err != nil {
		token, p.unusable = "", d.fault([]string{name, tokenKey}, "%w", err)
	}
	p.Token = token
	if p.URL != "" && p.Type != ProviderScript && !isWebAddress(p.URL) {
		p.unusable = d.fault([]string{name, "url"}, "%w", errNoAddress)
	}
	p = p.located(l.inherited)
	if err := p.check(d); err != nil {
		return Provider{}, err
	}
	if p.Record != "" && !filepath.IsAbs(p.Record) {
		p.Record = filepath.Join(l.workdir, p.Record)
	}
	if p.File == "" {
		return p, nil
	}
	candidates := l.scriptCandidates(d.Source, p.File)
	file, ok := firstFile(candidates)
	if !ok && l.text && strings.Contains(p.File, "${") {
		return p, nil
	}
	if !ok {
		return Provider{}, d.fault([]string{name, "file"}, "script %q does not exist; looked for %s", p.File, strings.Join(candidates, ", "))
	}
	p.File = file
	return p, nil
}

func (p Provider) check(d document) error {
	at := func(keys ...string) []string { return append([]string{p.Name}, keys...) }
	switch {
	case p.Type == "":
		return d.fault(at("type"), "missing; known types: %s", typeNames())
	case !slices.Contains(providerTypes, p.Type):
		return d.fault(at("type"), "unknown type %q; known types: %s", p.Type, typeNames())
	case p.File != "" && p.Type != ProviderScript:
		return d.fault(at("file"), "only a provider of type script has a file, this one is of type %s", p.Type)
	case p.IdleTimeout != 0 && p.Type == ProviderScript:
		return d.fault(at(idleTimeoutKey), "a script is never silent: leave the key out; delay in the script lets an answer wait")
	case p.Retry.MaxAttempts < 0:
		return d.fault(at("retry", "max_attempts"), "%d is negative", p.Retry.MaxAttempts)
	case p.Retry.BaseDelay < 0:
		return d.fault(at("retry", "base_delay"), "%s is negative", p.Retry.BaseDelay)
	case p.Retry.MaxDelay < 0:
		return d.fault(at("retry", "max_delay"), "%s is negative", p.Retry.MaxDelay)
	}
	for _, model := range slices.Sorted(maps.Keys(p.Prices)) {
		if err := p.Prices[model].check(d, at("prices", model)); err != nil {
			return err
		}
	}
	if err := d.checkPositive(p.IdleTimeout, at(idleTimeoutKey)...); err != nil {
		return err
	}
	return d.checkTimeout(p.Name, p.Timeout)
}

func typeNames() string {
	var names []string
	for _, t := range providerTypes {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// scriptCandidates returns the paths at which a provider's script may be located, the best first.
func (l *loader) scriptCandidates(s Source, file string) []string {
	if filepath.IsAbs(file) {
		return []string{filepath.Clean(file)}
	}
	var out []string
	for _, dir := range []string{filepath.Dir(s.File), filepath.Join(s.Home.Dir, "config"), s.Home.Dir, l.workdir} {
		// A file that describes providers is not the script of one of them.
		if path := filepath.Join(dir, file); path != s.File && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// scripts returns the files that providers of type script play, because they may be located among the providers' own files. It
// skips files that cannot be read: such a file may be a script, and if it is not, the error occurs again when the file is read as
// a provider.
func (l *loader) scripts() ([]fs.FileInfo, error) {
	var found []fs.FileInfo
	for _, home := range l.homes {
		sources, err := home.sources(providersFolder, yamlFiles)
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			d, err := s.open()
			if err != nil {
				continue
			}
			for _, name := range l.scriptNames(d) {
				if file, ok := firstFile(l.scriptCandidates(s, name)); ok {
					info, err := os.Stat(file)
					if err != nil {
						return nil, fmt.Errorf("opening script: %w", err)
					}
					found = append(found, info)
				}
			}
		}
	}
	return found, nil
}

// scriptNames returns the values of file: in a document, with variables expanded.
func (l *loader) scriptNames(d document) []string {
	var names []string
	if d.root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(d.root.Content); i += 2 {
		provider := d.root.Content[i].Value
		kind, file := d.find(provider, "type"), d.find(provider, "file")
		if kind.Value != string(ProviderScript) || file.Kind != yaml.ScalarNode || file == kind {
			continue
		}
		if name, err := l.env.expand(file.Value); err == nil && name != "" {
			names = append(names, name)
		}
	}
	return names
}
