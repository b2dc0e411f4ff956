package scaffold

import (
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/files"
)

// The modes of created files and directories. They contain no secrets.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// create writes a file and creates its parent directories. It returns fs.ErrExist if the file already exists.
func create(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	return files.Create(path, []byte(content), fileMode)
}
