// Package top shows the plugin processes of all running sessions of the user: as rows of a table, and on a screen that is redrawn
// every second and from which the user reads logs, restarts plugins and quarantines them.
package top
