//go:build linux

package editor

import (
	"os"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m))
}
