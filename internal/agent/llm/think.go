package llm

import "fmt"

// ParseThink parses an amount of thinking.
func ParseThink(word string) (Think, error) {
	switch t := Think(word); t {
	case "", ThinkOff, ThinkOn, ThinkLow, ThinkMedium, ThinkHigh:
		return t, nil
	case "true":
		return ThinkOn, nil
	case "false":
		return ThinkOff, nil
	default:
		return "", fmt.Errorf("reading %q as an amount of thinking: use off, on, low, medium or high", word)
	}
}
