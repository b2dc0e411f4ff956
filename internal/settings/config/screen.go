package config

import (
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/keymap"
)

// The themes of the interactive screen. ThemeAuto asks the terminal for its background.
const (
	ThemeAuto  = "auto"
	ThemeLight = "light"
	ThemeDark  = "dark"
	ThemePlain = "plain"
)

// Themes returns all themes.
func Themes() []string { return []string{ThemeAuto, ThemeLight, ThemeDark, ThemePlain} }

// Screen holds the settings of the interactive screen. Only the user's home sets them, because they run a command and decide what
// keys do.
type Screen struct {
	Theme string `yaml:"theme"`
	// Status is a shell command whose first line of output becomes the status line; empty for aura's own.
	Status string `yaml:"status"`
	// Keys holds the keys of actions, by the name of the action.
	Keys map[string][]string `yaml:"keys"`
}

func defaultScreen() Screen { return Screen{Theme: ThemeAuto} }

func (s Screen) isSet() bool { return s.Theme != "" || s.Status != "" || len(s.Keys) > 0 }

// onlyUser is why a file outside the user's home cannot set the screen.
const onlyUser = "only the user's home decides about the screen: set it in its features/screen.yaml"

// checkScreen refuses settings of the screen outside the user's home, and settings that mean nothing.
func (l *loader) checkScreen(d declaration, s Screen) error {
	if s.isSet() && !sameFile(d.Home.Dir, l.user) {
		return d.wrong([]string{screenKey}, onlyUser)
	}
	if s.Theme != "" && !slices.Contains(Themes(), s.Theme) {
		return d.wrong([]string{screenKey, "theme"}, "%q is none of %s", s.Theme, strings.Join(Themes(), ", "))
	}
	if err := keymap.Check(s.Keys); err != nil {
		return d.wrong([]string{screenKey, "keys"}, "%s", err)
	}
	return nil
}
