package scaffold

import (
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/files"
)

// The modes of what is created. There are no secrets in it.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// create makes a file and the directories above it. One that is there already is fs.ErrExist.
func create(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	return files.Create(path, []byte(content), fileMode)
}
