package web_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/web"
)

// TestMarkdown has a row for each kind of element.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p>a <p>b":                                                           "a\n\nb",
		"<h2>a<br>b</h2>c":                                                    "## a b\n\nc",
		"a<b> b </b>c <i></i><em>d</em>":                                      "a**b** c *d*",
		"<code>a</code> <del>b</del>":                                         "`a` ~~b~~",
		"<a href=/x?y#z>a</a>":                                                "[a](https://example.com/x?y#z)",
		"<a href='javascript:x'>a</a>":                                        "a",
		"<a href=#here>a</a><a href=/x></a>":                                  "a",
		"<a href=/x><h3>a</h3><span>b</a>":                                    "[a b](https://example.com/x)",
		"<img alt='a b' src='c d(e).png'>":                                    "![a b](https://example.com/dir/c%20d%28e%29.png)",
		"<base href=/up/><a href=x>a</a>":                                     "[a](https://example.com/up/x)",
		"<ul><li>a<li><p>b<ol><li>c</ol></ul>d":                               "- a\n- b\n  1. c\n\nd",
		"<ol><li>a<p>b</ol>":                                                  "1. a\n\n   b",
		"<blockquote><p>a<p>b</blockquote>c":                                  "> a\n>\n> b\n\nc",
		"<pre>a\n  b\n\nc</pre>d":                                             "```\na\n  b\n\nc\n```\n\nd",
		"<pre>```</pre>":                                                      "````\n```\n````",
		"<table><tr><th>a<th>b<tr><td>c<td><p>d<p>e</table>f":                 "| a | b |\n| --- | --- |\n| c | d e |\n\nf",
		"<table><tr><td>a<td><table><tr><td>b</table></table>":                "a\n\n| b |\n| --- |",
		"<dl><dt>a<dd>b<dt>c<dd>d</dl>":                                       "a\n: b\nc\n: d",
		"<title>a\nb</title><p>c<script>d</script><select><option>e</select>": "Title: a b\n\nc",
		"a<hr>b": "a\n\n---\n\nb",
		"<div><div><div>a</div></div></div><div>b</div>": "a\n\nb",
	} {
		if got, _, err := web.Markdown([]byte(page), "https://example.com/dir/page"); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s becomes %q, want %q, %v", page, got, want, err)
		}
	}
}

// FuzzMarkdown checks that no page breaks the conversion.
func FuzzMarkdown(f *testing.F) {
	f.Add("<table><tr><td>a<td colspan=3>b</table><ul><li><p>c<ol><li>d</ol></ul><pre><code class=x>e\n</code></pre>")
	f.Add("<p hidden><b><i>x</b></i><blockquote><a href=':'>y</a><img src=data:x>")
	f.Fuzz(func(t *testing.T, page string) {
		// An error is a page that cannot be read. Only a panic is a fault.
		_, _, _ = web.Markdown([]byte(page), "https://example.com/")
	})
}
