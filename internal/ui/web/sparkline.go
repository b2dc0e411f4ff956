package web

import (
	"bytes"
	"fmt"
	"strconv"
)

// The size of a small chart in its own units.
const (
	sparkWidth  = 180
	sparkHeight = 24
)

// sample is what a chart shows at one point.
type sample struct {
	calls  float64
	memory int64
}

// chart has the points of the charts of a plugin, the oldest first, and the charts once they are drawn. Its points never change.
type chart struct {
	samples       []sample
	calls, memory ready
}

func (c *chart) draw() {
	c.calls = sparkline("calls per second", "points", historyLength, c.samples, func(x sample) float64 { return x.calls }, func(v float64) string { return fmt.Sprintf("%.1f/s", v) })
	c.memory = sparkline("memory", "points", historyLength, c.samples, func(x sample) float64 { return float64(x.memory) }, func(v float64) string { return fmt.Sprintf("%.1f MB", v/1e6) })
}

// sparkline draws a small chart of at most some readings, the newest at the right. Its largest value has the full height, and is written beside
// it, so that the chart says something to those who do not see it. A chart of nothing stays the same however long it is. unit is what a reading is.
func sparkline(of, unit string, most int, samples []sample, value func(sample) float64, show func(float64) string) ready {
	highest := 0.0
	for _, x := range samples {
		highest = max(highest, value(x))
	}
	if highest == 0 {
		samples = nil
	}
	var points []byte
	for i, x := range samples {
		y := float64(sparkHeight) - 1 - value(x)/highest*(sparkHeight-2)
		points = strconv.AppendInt(points, int64(sparkWidth*(most-len(samples)+i+1)/most), 10)
		points = append(strconv.AppendFloat(append(points, ','), y, 'f', 1, 64), ' ')
	}
	if len(points) == 0 {
		return ready(fmt.Sprintf(`<span class="note">%s: none</span>`, of)) //nolint:gosec // a text of this package
	}
	//nolint:gosec // numbers, and texts of this package
	return ready(fmt.Sprintf(`<svg role="img" aria-label="%s, the last %d %s, at most %s" viewBox="0 0 %d %d" class="spark"><polyline points="%s"></polyline></svg> <span class="note">at most %s</span>`,
		of, len(samples), unit, show(highest), sparkWidth, sparkHeight, bytes.TrimSpace(points), show(highest)))
}
