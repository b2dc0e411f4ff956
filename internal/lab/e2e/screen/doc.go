// Package screen tests aura on a terminal: the screen, the plain mode, questions and full-screen programs.
package screen
