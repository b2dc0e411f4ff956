package scaffold

import "github.com/idelchi/aura/internal/base/files"

// The modes of created files and directories. They contain no secrets.
const (
	fileMode = 0o644
	dirMode  = 0o755
)

// create writes a file and creates its parent directories. It follows no links below workdir. It returns fs.ErrExist if the file
// already exists.
func create(workdir, path, content string) error {
	return files.CreateBelow(workdir, path, []byte(content), fileMode, dirMode)
}
