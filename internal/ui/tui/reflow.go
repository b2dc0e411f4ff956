package tui

import "strings"

// reflows reports whether the environment names a terminal that breaks long rows again when it becomes narrower.
func reflows(environ []string) bool {
	for _, name := range []string{"TMUX", "KITTY_WINDOW_ID", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "ALACRITTY_WINDOW_ID", "WEZTERM_PANE"} {
		if lookup(environ, name) != "" {
			return true
		}
	}
	return reflowsByName(lookup(environ, "TERM_PROGRAM"))
}

func reflowsByName(name string) bool {
	name = strings.ToLower(name)
	for _, known := range []string{"tmux", "kitty", "wezterm", "iterm", "ghostty", "foot", "vte", "konsole", "alacritty", "apple_terminal", "vscode", "windows terminal", "contour", "rio"} {
		if strings.Contains(name, known) {
			return true
		}
	}
	return false
}
