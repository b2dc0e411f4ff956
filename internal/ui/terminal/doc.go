// Package terminal controls how aura looks on a terminal: the colours, the rendering of the model's Markdown, tool calls and
// diffs, and the live line that shows what aura is waiting for. The package cleans text from outside before it styles the text,
// so its results can be written as they are.
package terminal
