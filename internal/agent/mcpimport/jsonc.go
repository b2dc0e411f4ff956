package mcpimport

// Standard returns JSON without comments and without commas before a closing bracket, both of which editors allow in their
// settings. Line numbers do not change. If the result is still not JSON, the decoder refuses it.
func Standard(data []byte) []byte {
	out := make([]byte, 0, len(data))
	comma := -1 // index in out of a comma that is followed only by blanks
	for i := 0; i < len(data); {
		end := i + 1
		switch c := data[i]; {
		case c == '"':
			end = stringEnd(data, i)
		case c == '/' && i+1 < len(data) && (data[i+1] == '/' || data[i+1] == '*'):
			end = commentEnd(data, i)
			for _, b := range data[i:end] {
				if b == '\n' {
					out = append(out, b)
				}
			}
			i = end
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			out = append(out, c)
			i = end
			continue
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
		}
		comma = -1
		if data[i] == ',' {
			comma = len(out)
		}
		out = append(out, data[i:end]...)
		i = end
	}
	return out
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// commentEnd returns the index after the comment that begins at i. For a line comment, that is the index of its line end.
func commentEnd(data []byte, i int) int {
	block := data[i+1] == '*'
	for j := i + 2; j < len(data); j++ {
		if !block && data[j] == '\n' {
			return j
		}
		if block && data[j] == '/' && data[j-1] == '*' && j > i+2 {
			return j + 1
		}
	}
	return len(data)
}
