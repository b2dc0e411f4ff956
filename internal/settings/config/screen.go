package config

import (
	"slices"
	"strings"
	"time"

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

// The ways to notify the user that aura needs attention: a bell, a notification of the terminal (OSC 9 or OSC 777), or none.
const (
	NotifyBell   = "bell"
	NotifyOSC9   = "osc9"
	NotifyOSC777 = "osc777"
	NotifyOff    = "off"
)

// Notifications returns all ways to notify the user.
func Notifications() []string { return []string{NotifyBell, NotifyOSC9, NotifyOSC777, NotifyOff} }

// Screen holds the settings of the interactive screen. Only the user's home sets them, because they run a command and decide what
// keys do.
type Screen struct {
	Theme string `yaml:"theme"`
	// Status is a shell command whose first line of output becomes the status line; empty for aura's own.
	Status string `yaml:"status"`
	// Notify is how the user is notified that a question waits, or that a turn has ended which took at least NotifyAfter.
	Notify      string        `yaml:"notify"`
	NotifyAfter time.Duration `yaml:"notify_after"`
	// Keys holds the keys of actions, by the name of the action.
	Keys map[string][]string `yaml:"keys"`
}

func defaultScreen() Screen {
	return Screen{Theme: ThemeAuto, Notify: NotifyBell, NotifyAfter: 10 * time.Second}
}

func (s Screen) isSet() bool {
	return s.Theme != "" || s.Status != "" || s.Notify != "" || s.NotifyAfter != 0 || len(s.Keys) > 0
}

// onlyUser is why a file outside the user's home cannot set the screen.
const onlyUser = "only the user's home decides about the screen: set it in its features/screen.yaml"

// checkScreen refuses settings of the screen outside the user's home, and settings that mean nothing.
func (l *loader) checkScreen(d declaration, s Screen) error {
	if s.isSet() && !sameFile(d.Home.Dir, l.user) {
		return d.wrong([]string{screenKey}, onlyUser)
	}
	for _, one := range []struct {
		key, value string
		values     []string
	}{{"theme", s.Theme, Themes()}, {"notify", s.Notify, Notifications()}} {
		if one.value != "" && !slices.Contains(one.values, one.value) {
			return d.wrong([]string{screenKey, one.key}, "%q is none of %s", one.value, strings.Join(one.values, ", "))
		}
	}
	if err := d.checkPositive(s.NotifyAfter, screenKey, "notify_after"); err != nil {
		return err
	}
	if err := keymap.Check(s.Keys); err != nil {
		return d.wrong([]string{screenKey, "keys"}, "%s", err)
	}
	return nil
}
