package tokens

// cached is how many texts a Cache holds.
const cached = 512

// Cache remembers the counts of texts that come again and again, such as system prompts and the schemas of tools. The zero
// value is ready. It is for one goroutine at a time.
type Cache struct {
	counts map[string]int
}

// Estimate is the function of that name, but counts a text once.
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
