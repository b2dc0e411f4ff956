package web

// Markdown is markdown, for tests.
var Markdown = markdown
