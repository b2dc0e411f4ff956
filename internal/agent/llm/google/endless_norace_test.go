//go:build !race

package google_test

import "testing"

func TestEndless(t *testing.T) {
	t.Parallel()
	suite("gemini-2.5-flash").RunEndless(t)
}
