package sandbox

import "path/filepath"

// toolchains are where version managers below the home directory keep programs. Git's settings are with them: Git does nothing
// at all if it cannot read those.
var toolchains = []string{
	".rustup/toolchains", ".rustup/settings.toml", ".nvm/versions", ".pyenv/versions", ".pyenv/shims", ".pyenv/version",
	".pyenv/libexec", ".rbenv/versions", ".rbenv/shims", ".asdf/installs", ".asdf/shims", ".sdkman/candidates", ".volta/tools",
	".local/share/mise/installs", ".local/share/mise/shims", ".local/share/uv/python", ".local/share/uv/tools",
	".local/share/pipx/venvs", ".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes",
}

// besides is what programs need of the directories beside the one that they are in, by the name of that one: a version manager
// leads from its shims to the programs themselves, which may be in the home directory of somebody else.
var besides = map[string][]string{
	"shims": {"versions", "version", "installs", "libexec", "lib", "plugins"},
	"bin":   {"lib", "lib64", "libexec"},
}

// programs are what can be run by its name, with all that it needs to run.
func (at Place) programs() []string {
	out := append(present(at.Path...), below(at.Home, toolchains)...)
	for _, dir := range present(at.Path...) {
		dir = filepath.Clean(dir)
		out = append(out, below(filepath.Dir(dir), besides[filepath.Base(dir)])...)
	}
	return out
}
