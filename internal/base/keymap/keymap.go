// Package keymap defines what the keys of the interactive screen do, and which of them the user changed.
package keymap

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/nearest"
)

// Action is what a key does.
type Action string

// The actions. The documentation lists them with their keys.
const (
	Send         Action = "send"
	SendNow      Action = "send-now"
	Newline      Action = "newline"
	Interrupt    Action = "interrupt"
	Cancel       Action = "cancel"
	Quit         Action = "quit"
	NextAgent    Action = "next-agent"
	NextMode     Action = "next-mode"
	Transcript   Action = "transcript"
	Editor       Action = "editor"
	Search       Action = "search"
	Expand       Action = "expand-paste"
	PasteImage   Action = "paste-image"
	Thinking     Action = "thinking"
	Redraw       Action = "redraw"
	Suspend      Action = "suspend"
	Up           Action = "up"
	Down         Action = "down"
	Left         Action = "left"
	Right        Action = "right"
	WordLeft     Action = "word-left"
	WordRight    Action = "word-right"
	LineStart    Action = "line-start"
	LineEnd      Action = "line-end"
	Backspace    Action = "backspace"
	Delete       Action = "delete"
	KillWord     Action = "kill-word"
	KillNextWord Action = "kill-next-word"
	KillStart    Action = "kill-to-start"
	KillEnd      Action = "kill-to-end"
	Yank         Action = "yank"
	Undo         Action = "undo"
	Transpose    Action = "transpose"
)

// Binding is an action with its usual keys and what it does.
type Binding struct {
	Action Action
	Keys   []string
	About  string
}

// Bindings returns all actions with their usual keys, in the order of the documentation.
func Bindings() []Binding {
	return []Binding{
		{Send, []string{"enter"}, "Send the prompt; while the model works, add the prompt to the queue"},
		{SendNow, []string{"ctrl+enter", "ctrl+s"}, "Interrupt the model and send the prompt now"},
		{Newline, []string{"shift+enter", "alt+enter", "ctrl+j"}, "Begin a new line"},
		{Interrupt, []string{"esc"}, "Interrupt the model, or end the running call that was chosen; close a menu"},
		{Cancel, []string{"ctrl+c"}, "Interrupt the model, or clear the input; twice: quit"},
		{Quit, []string{"ctrl+d"}, "Quit if the input is empty; otherwise delete the next character"},
		{NextAgent, []string{"tab"}, "Accept the completion; without a menu: switch to the next agent"},
		{NextMode, []string{"shift+tab"}, "Switch to the next mode"},
		{Transcript, []string{"ctrl+o"}, "Show the whole transcript"},
		{Editor, []string{"ctrl+g"}, "Edit the prompt in $EDITOR"},
		{Search, []string{"ctrl+r"}, "Search earlier prompts"},
		{Expand, []string{"ctrl+x"}, "Replace the placeholder of a paste by its text"},
		{PasteImage, []string{"ctrl+v", "alt+v"}, "Paste the image, or the text, of the clipboard"},
		{Thinking, []string{"ctrl+t"}, "Show or fold the model's thinking"},
		{Redraw, []string{"ctrl+l"}, "Draw the live area again"},
		{Suspend, []string{"ctrl+z"}, "Suspend aura"},
		{Up, []string{"up", "ctrl+p"}, "Move up; from the first row: take back the last queued prompt, or an earlier prompt"},
		{Down, []string{"down", "ctrl+n"}, "Move down; from the last row: a later prompt; on an empty input: choose a running call"},
		{Left, []string{"left", "ctrl+b"}, "Move left"},
		{Right, []string{"right", "ctrl+f"}, "Move right; at the end: accept the shown completion"},
		{WordLeft, []string{"alt+left", "ctrl+left", "alt+b"}, "Move left by a word"},
		{WordRight, []string{"alt+right", "ctrl+right", "alt+f"}, "Move right by a word"},
		{LineStart, []string{"home", "ctrl+a"}, "Move to the start of the line"},
		{LineEnd, []string{"end", "ctrl+e"}, "Move to the end of the line"},
		{Backspace, []string{"backspace", "ctrl+h"}, "Delete the character before the cursor"},
		{Delete, []string{"delete"}, "Delete the character at the cursor"},
		{KillWord, []string{"ctrl+w", "alt+backspace"}, "Delete the word before the cursor"},
		{KillNextWord, []string{"alt+d"}, "Delete the word after the cursor"},
		{KillStart, []string{"ctrl+u"}, "Delete to the start of the line"},
		{KillEnd, []string{"ctrl+k"}, "Delete to the end of the line"},
		{Yank, []string{"ctrl+y"}, "Insert what was deleted last"},
		{Undo, []string{"ctrl+_", "ctrl+-"}, "Undo the last change of the input"},
		{Transpose, []string{"alt+t"}, "Swap the two characters around the cursor"},
	}
}

// Map is the action of each key.
type Map map[string]Action

// New returns the actions of the keys. changes holds the keys that the user chose, by the name of the action.
func New(changes map[string][]string) Map {
	out := Map{}
	for _, b := range Bindings() {
		keys, changed := changes[string(b.Action)]
		if !changed {
			keys = b.Keys
		}
		for _, key := range keys {
			if _, taken := out[key]; changed || !taken {
				out[key] = b.Action
			}
		}
	}
	for name, keys := range changes { // a changed key wins over the usual one of another action
		for _, key := range keys {
			out[key] = Action(name)
		}
	}
	return out
}

// Check returns an error if keys names an action that does not exist, or one key for two actions.
func Check(keys map[string][]string) error {
	var known []string
	for _, b := range Bindings() {
		known = append(known, string(b.Action))
	}
	owner := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%q is no action%s; /keys lists them", name, nearest.Hint(name, known))
		}
		for _, key := range keys[name] {
			if strings.TrimSpace(key) == "" {
				return fmt.Errorf("%s has an empty key", name)
			}
			if other, taken := owner[key]; taken {
				return fmt.Errorf("%q is given to both %s and %s", key, other, name)
			}
			owner[key] = name
		}
	}
	return nil
}

// Keys returns the keys of an action, separated by commas.
func (k Map) Keys(a Action) string {
	var out []string
	for key, action := range k {
		if action == a {
			out = append(out, key)
		}
	}
	slices.SortFunc(out, func(x, y string) int {
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
	return strings.Join(out, ", ")
}
