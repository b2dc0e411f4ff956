package sandbox

import "path/filepath"

// toolchains lists where version managers keep programs below the home directory. It includes directories that such a manager would
// create if they had no name, and Git's settings, because Git fails in every command if it cannot read them.
var toolchains = []string{
	".rustup/toolchains", ".rustup/settings.toml", ".rustup/update-hashes", ".rustup/downloads", ".rustup/tmp", ".nvm/versions", ".pyenv/versions", ".pyenv/shims", ".pyenv/version",
	".pyenv/libexec", ".rbenv/versions", ".rbenv/shims", ".asdf/installs", ".asdf/shims", ".sdkman/candidates", ".volta/tools",
	".local/share/mise/installs", ".local/share/mise/shims", ".local/share/uv/python", ".local/share/uv/tools",
	".local/share/pipx/venvs", ".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes",
}

// besides lists the directories beside a directory of programs that the programs need, by the name of that directory. The shims
// of a version manager start programs in other directories, which may be in the home directory of another user.
var besides = map[string][]string{
	"shims": {"versions", "version", "installs", "libexec", "lib", "plugins"},
	"bin":   {"lib", "lib64", "libexec"},
}

// programs returns the directories of the programs that can be run by name, and of everything that these programs need to run.
func (at Place) programs() []string {
	out := append(present(at.Path...), below(at.Home, toolchains)...)
	for _, dir := range present(at.Path...) {
		dir = filepath.Clean(dir)
		out = append(out, below(filepath.Dir(dir), besides[filepath.Base(dir)])...)
	}
	return out
}
