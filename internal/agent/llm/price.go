package llm

import (
	"math"
	"math/bits"
)

// Cost is an amount of money in units of 1e-12 US dollars. The unit is that small so that sums are exact.
type Cost int64

// dollar is one US dollar as a Cost.
const dollar = 1e12

// Price is the cost of one token. A price per million tokens has at most six decimals in dollars, so the cost of one token is
// an integer.
type Price int64

// PerMillion returns the price of one token, given the price of a million tokens in dollars.
func PerMillion(dollars float64) Price { return Price(math.Round(dollars * dollar / 1e6)) }

// PerThousand returns the price of one search, given the price of a thousand searches in dollars.
func PerThousand(dollars float64) Price { return Price(math.Round(dollars * dollar / 1e3)) }

// Dollars returns the amount in dollars, rounded to six decimals for display.
func (c Cost) Dollars() float64 { return math.Round(float64(c)/dollar*1e6) / 1e6 }

// CostOf converts an amount in dollars to a Cost.
func CostOf(dollars float64) Cost {
	if dollars >= math.MaxInt64/dollar {
		return math.MaxInt64
	}
	return Cost(math.Round(dollars * dollar))
}

// Add returns the sum of two amounts. Neither may be negative. The sum saturates at the largest Cost.
func (c Cost) Add(other Cost) Cost {
	if c > math.MaxInt64-other {
		return math.MaxInt64
	}
	return c + other
}

// Prices holds the prices of a model's tokens.
type Prices struct {
	Input, Output Price
	// CacheRead and CacheWrite are the prices of input tokens read from the service's cache, and of input tokens written to it.
	CacheRead, CacheWrite Price
	// Search is the price of one search of the web.
	Search Price
	// Long holds the prices of a call with more than LongFrom input tokens; nil if they are the same.
	LongFrom int
	Long     *Prices
}

// Cost returns the cost of a call, given the service's token counts. The counts are not trusted: a negative count costs
// nothing.
func (p Prices) Cost(u Usage) Cost {
	if p.Long != nil && u.Input > p.LongFrom {
		long := *p.Long
		long.Search = p.Search
		return long.Cost(u)
	}
	read := max(u.CacheRead, 0)
	write := max(u.CacheWrite, 0)
	plain := max(u.Input-read-write, 0)
	return p.Input.times(plain).Add(p.CacheRead.times(read)).Add(p.CacheWrite.times(write)).Add(p.Output.times(max(u.Output, 0))).Add(p.Search.times(max(u.Searches, 0)))
}

func (p Price) times(tokens int) Cost {
	high, low := bits.Mul64(uint64(max(p, 0)), uint64(tokens)) //nolint:gosec // neither is negative
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return Cost(low)
}
