package strictyaml

import (
	"bytes"
	"errors"
)

var (
	fence = []byte("---")
	bom   = []byte("\xef\xbb\xbf")
)

// Frontmatter decodes the YAML block between two lines of --- at the start of a Markdown file into the value that into points to,
// and returns the text after the block. Without a block, the whole file is the body. Line numbers in errors refer to the file.
func Frontmatter(file string, data []byte, into any) (string, error) {
	if len(data) > MaxSize {
		return "", Decode(file, data, into)
	}

	data = utf8Text(data)

	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if !isFence(first) {
		return string(data), nil
	}

	for offset := 0; offset < len(rest); {
		line, _, found := bytes.Cut(rest[offset:], []byte("\n"))
		next := offset + len(line)

		if found {
			next++
		}

		if isFence(line) {
			// The empty line replaces the opening fence and keeps the line numbers.
			block := append([]byte("\n"), rest[:offset]...)

			if err := Decode(file, block, into); err != nil {
				return "", err
			}

			return string(rest[next:]), nil
		}

		offset = next
	}

	return "", &Error{File: file, Line: 1, Err: errors.New("frontmatter opened with --- is never closed with ---")}
}

// isFence reports whether a line consists of ---. Trailing blanks are ignored.
func isFence(line []byte) bool { return bytes.Equal(bytes.TrimRight(line, " \t\r"), fence) }
