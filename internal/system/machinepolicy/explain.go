package machinepolicy

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/system/hidden"
	"github.com/idelchi/aura/internal/system/network"
)

// Action is something that a key permits or refuses. Several keys can have the same action: each must permit it.
type Action struct {
	// Key is the name of the key.
	Key string
	// Words are the first words of the action, and Arguments the form of the others. An argument in brackets may be missing, and one with dots
	// stands for one or more words.
	Words, Arguments string
	ask              func(p *Policy, args []string) error
}

// actions has the actions of each key in Table that restricts something a user can do.
var actions = []Action{
	{"version", "version", "VERSION", asked((*Policy).Outdated)},
	{"plugins.forbidden", "plugins add", "URL [NAME]", (*Policy).askAdd},
	{"sources", "plugins add", "URL [NAME]", asked((*Policy).Source)},
	{"signers", "plugins add", "URL [NAME]", permits},
	{"plugins.forbidden", "plugin", "NAME [URL]", (*Policy).askPlugin},
	{"sources", "plugin", "NAME [URL]", second((*Policy).Source)},
	{"signers", "unsigned", "", first("signers", "plugins from elsewhere without a signature of a permitted signer")},
	{"plugins.required", "without", "NAME", asked((*Policy).Without)},
	{"plugins.unsafe", "unsafe", "", plain((*Policy).Unsafe)},
	{"plugins.native", "native", "", plain((*Policy).Native)},
	{"plugins.python", "python", "", plain((*Policy).Python)},
	{"hooks", "hooks", "", plain((*Policy).Hooks)},
	{"mcp", "mcp", "NAME URL|[VARIABLE=] COMMAND...", (*Policy).askServer},
	{"providers", "provider", "TYPE [URL]", (*Policy).askProvider},
	{"models", "model", "NAME", asked((*Policy).Model)},
	{"sandbox.required", "unconfined", "", plain(func(p *Policy) error { return p.SandboxRequired("programs without the sandbox") })},
	{"sandbox.network", "host", "NAME[:PORT]", asked((*Policy).Host)},
	{"sandbox.hidden", "read", "FILE", asked((*Policy).Reads)},
	{"modes", "mode", "NAME", asked((*Policy).Mode)},
	{"approvals", "approval", "once|session|project", (*Policy).askApproval},
	{"record", "record", "", plain((*Policy).Record)},
	{"record", "record off", "", plain((*Policy).MustRecord)},
	{"telemetry", "telemetry", "URL", asked((*Policy).Collector)},
	{"sessions", "sessions", "DAYS", (*Policy).askRetention},
	{"audit", "audit off", "", first("audit", "sessions without a record of what happens")},
	{"url", "policy off", "", first("url", "sessions without the policy at that address")},
	{"key", "policy off", "", first("key", "policies with another signature")},
}

// String returns the form of the action.
func (a Action) String() string { return strings.TrimSpace(a.Words + " " + a.Arguments) }

// arguments returns the arguments if words are the action; named reports whether they begin like it.
func (a Action) arguments(words []string) (args []string, named, ok bool) {
	own := strings.Fields(a.Words)
	if len(words) < len(own) || !slices.Equal(words[:len(own)], own) {
		return nil, false, false
	}
	args = words[len(own):]
	least, most := 0, 0
	for form := range strings.FieldsSeq(a.Arguments) {
		most++
		if !strings.HasPrefix(form, "[") {
			least++
		}
		if strings.HasSuffix(form, "...") {
			return args, true, len(args) >= least-1 && len(args) > 1
		}
	}
	return args, true, len(args) >= least && len(args) <= most && !slices.Contains(args, "")
}

// Actions returns the forms of all actions.
func Actions() []string {
	var out []string
	for _, a := range actions {
		if !slices.Contains(out, a.String()) {
			out = append(out, a.String())
		}
	}
	return out
}

// ErrAction is the error for words that are no action.
var ErrAction = errors.New("no action")

// Explanation says whether the policy permits an action.
type Explanation struct {
	Action    string `json:"action"`
	Permitted bool   `json:"permitted"`
	// Refusals has why it does not.
	Refusals []Refusal `json:"refusals"`
	// Rules has all rules of the keys that decide.
	Rules []Rule `json:"rules"`
}

// Refusal is a reason and what the user can do.
type Refusal struct {
	What string `json:"what"`
	Rule Rule   `json:"rule"`
	// Remedy is what the user can do.
	Remedy string `json:"remedy"`
}

// Explain says whether the policy permits an action, and by which rules.
func (p *Policy) Explain(words []string) (Explanation, error) {
	out := Explanation{Action: strings.Join(words, " "), Permitted: true, Refusals: []Refusal{}, Rules: []Rule{}}
	known := false
	var forms []string
	for _, a := range actions {
		args, named, ok := a.arguments(words)
		if named && !slices.Contains(forms, a.String()) {
			forms = append(forms, a.String())
		}
		if !ok {
			continue
		}
		known = true
		out.Rules = append(out.Rules, p.find(a.Key)...)
		err := a.ask(p, args)
		if refused, ok := errors.AsType[*RefusalError](err); ok {
			out.Permitted, out.Refusals = false, append(out.Refusals, Refusal{refused.What, refused.Rule, refused.Rule.Remedy()})
		} else if err != nil {
			return out, fmt.Errorf("explaining %q: %w", out.Action, err)
		}
	}
	switch {
	case known:
		return out, nil
	case len(forms) > 0:
		return out, fmt.Errorf("explaining %q: %w of this form: write %s", out.Action, ErrAction, strings.Join(forms, ", or "))
	default:
		return out, fmt.Errorf("explaining %q: %w; the actions are: %s", out.Action, ErrAction, strings.Join(Actions(), "; "))
	}
}

// Remedy says what a user can do about a rule that refuses.
func (r Rule) Remedy() string {
	ask := fmt.Sprintf("ask the administrator of this machine to change line %d of %s", r.Line, r.File)
	if r.Text != "none" && slices.ContainsFunc(Table, func(k Key) bool { return k.Name == r.Key && k.Together == Every && k.Name != "signers" }) {
		return "choose what the rule names, or " + ask
	}
	return ask
}

// asked returns an action about one argument.
func asked(of func(*Policy, string) error) func(*Policy, []string) error {
	return func(p *Policy, args []string) error { return of(p, args[0]) }
}

// second returns an action about the second argument, which may be missing.
func second(of func(*Policy, string) error) func(*Policy, []string) error {
	return func(p *Policy, args []string) error { return of(p, optional(args)) }
}

// plain returns an action without arguments.
func plain(of func(*Policy) error) func(*Policy, []string) error {
	return func(p *Policy, _ []string) error { return of(p) }
}

// permits is an action that depends on more than its words. The rules of the key are only named.
func permits(*Policy, []string) error { return nil }

// first returns an action that every rule of a key refuses.
func first(key, what string) func(*Policy, []string) error {
	return func(p *Policy, _ []string) error {
		for _, r := range p.find(key) {
			return &RefusalError{What: what, Rule: r}
		}
		return nil
	}
}

// optional returns the second argument, or "".
func optional(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

// askAdd is about a plugin that has the name of its repository unless it has another one.
func (p *Policy) askAdd(args []string) error {
	name := optional(args)
	if name == "" {
		name = strings.TrimSuffix(path.Base(strings.TrimSuffix(args[0], "/")), ".git")
	}
	return p.forbidden(name, args[0])
}

func (p *Policy) askPlugin(args []string) error { return p.forbidden(args[0], optional(args)) }

// Without returns an error if a session may not run without a plugin.
func (p *Policy) Without(name string) error {
	for _, r := range p.Required() {
		if r.Name == name {
			return &RefusalError{What: "a session without the plugin " + name, Rule: r.Rule}
		}
	}
	return nil
}

// askServer is about a server by its address, or by its command line behind the names of the variables that it is given.
func (p *Policy) askServer(args []string) error {
	name, words := args[0], args[1:]
	if u, err := url.Parse(words[0]); err == nil && len(words) == 1 && (u.Scheme == "https" || u.Scheme == "http") {
		return p.Server(name, "", words[0], nil)
	}
	var variables []string
	for len(words) > 0 && strings.HasSuffix(words[0], "=") {
		variables, words = append(variables, strings.TrimSuffix(words[0], "=")), words[1:]
	}
	if len(words) == 0 {
		return errors.New("the command of the server is missing")
	}
	return p.Server(name, strings.Join(words, " "), "", variables)
}

func (p *Policy) askProvider(args []string) error { return p.Provider(args[0], optional(args)) }

// Host returns an error if tools and plugins may not reach a host. Without a port it is that of https.
func (p *Policy) Host(address string) error {
	host, port := address, uint64(443)
	if i := strings.LastIndexByte(address, ':'); i >= 0 && (strings.Count(address, ":") == 1 || address[i-1] == ']') {
		n, err := strconv.ParseUint(address[i+1:], 10, 16)
		if err != nil {
			return fmt.Errorf("%q is not a port", address[i+1:])
		}
		host, port = address[:i], n
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	for _, d := range p.all() {
		l, err := d.limit()
		if err != nil || d.Sandbox.Network.Line == 0 {
			continue // decode checked it
		}
		rules := network.Rules{Allow: l.Allow, Machine: []network.Limit{l}}
		if rules.Decide(host, uint16(port)).Decision != network.Allowed {
			return &RefusalError{What: "connections to " + address, Rule: networkRules(&d)[0]}
		}
	}
	return nil
}

// Reads returns an error if nothing confined may read a file of the working directory, by its path in it.
func (p *Policy) Reads(file string) error {
	if !filepath.IsLocal(file) {
		return fmt.Errorf("%s is not in the working directory: give its path from there", file)
	}
	root := string(filepath.Separator)
	for _, h := range p.Hidden() {
		rules := hidden.Rules{Dir: root, Layers: []hidden.Layer{{Source: h.Rule.File, Patterns: h.Patterns}}}
		if reason, hides := rules.Why(filepath.Join(root, file)); hides && reason.Explicit {
			h.Rule.Text = strings.Join(h.Patterns, ", ")
			return &RefusalError{What: "confined programs to read " + file, Rule: h.Rule}
		}
	}
	return nil
}

func (p *Policy) askApproval(args []string) error {
	if approvalRank(args[0]) < 0 {
		return fmt.Errorf("%q is none of %s", args[0], strings.Join(approvalWords, ", "))
	}
	return p.Approval(args[0])
}

func (p *Policy) askRetention(args []string) error {
	age, err := parseDays(args[0])
	if limit, rule := p.Retention(); err == nil && limit > 0 && age > limit {
		return &RefusalError{What: "saved sessions that are older than " + rule.Text, Rule: rule}
	}
	return err
}
