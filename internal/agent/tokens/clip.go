package tokens

// Clip returns the beginning of a text, at most limit tokens long, and the number of omitted tokens. The text must be valid
// UTF-8; otherwise the result may be longer.
func Clip(text string, limit int) (clipped string, left int) {
	// A text never has more tokens than bytes, so most texts need no counting.
	if limit = max(limit, 0); len(text) <= limit {
		return text, 0
	}
	total := Estimate(text)
	if total <= limit {
		return text, 0
	}
	at, count := 0, 0
	for rest := prefix(text, sampled); rest != ""; {
		n := piece(rest)
		known.encode(rest[:n], func(token string) {
			if count < limit {
				at += len(token)
			}
			count++
		})
		if count > limit {
			return prefix(text, at), total - limit
		}
		rest = rest[n:]
	}
	return prefix(text, min(at, limit)), total - limit
}
