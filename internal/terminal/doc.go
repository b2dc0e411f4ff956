// Package terminal is how aura looks on a terminal: which colours it has, how the model's Markdown, tool calls and diffs are shown, and
// the one line that says what is being waited for. Text from outside is cleaned here before it is styled, so what this package returns can
// be written as it is.
package terminal
