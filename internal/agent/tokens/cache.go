package tokens

// cached is the maximum number of texts in a Cache.
const cached = 512

// Cache caches the counts of recurring texts, such as system prompts and tool schemas. The zero value is ready to use. It is
// not safe for concurrent use.
type Cache struct {
	counts map[string]int
}

// Estimate is like the function Estimate, but caches the result.
func (c *Cache) Estimate(text string) int {
	if text == "" {
		return 0
	}
	if n, ok := c.counts[text]; ok {
		return n
	}
	if c.counts == nil || len(c.counts) >= cached {
		c.counts = map[string]int{}
	}
	n := Estimate(text)
	c.counts[text] = n
	return n
}
