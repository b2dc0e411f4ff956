// Package web serves the pages of `aura web`: sessions, plugins, and what happened in a session. It reads what the terminal commands read,
// writes nothing, and answers only requests that prove that they come from the user who started it.
package web
