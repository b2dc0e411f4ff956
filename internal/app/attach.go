package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/prompt"
)

// send sends the user's text and the files that it mentions.
func (s *Session) send(ctx context.Context, text string) error {
	plain, mentions := prompt.Mentions(text)
	return s.hidden(s.talk.Send(ctx, plain, s.mentioned(mentions)...))
}

// mentioned returns the files that a prompt mentions. It checks only the names; the tool that reads the files decides whether
// they can be read. A mention that is not a file remains text.
func (s *Session) mentioned(mentions []prompt.Mention) []string {
	var out []string
	for _, m := range mentions {
		path, err := s.fileOf(m)
		switch {
		case err != nil:
			s.notice("", fmt.Sprintf(`%s stays text: %v; write \@ for a plain @`, m.Text, err))
		case slices.Contains(out, path):
		case len(out) == limit.Attachments:
			s.notice("", fmt.Sprintf("%s stays text: a prompt attaches at most %d files", m.Text, limit.Attachments))
		default:
			out = append(out, path)
		}
	}
	return out
}

// fileOf returns the longest path of a mention that exists.
func (s *Session) fileOf(m prompt.Mention) (string, error) {
	for _, path := range m.Paths {
		absolute := path
		if !filepath.IsAbs(path) {
			absolute = filepath.Join(s.setup.Config.Workdir, path)
		}
		info, err := os.Stat(absolute)
		switch {
		case err == nil && info.IsDir():
			return "", errors.New("it names a directory, and only files can be attached")
		case err == nil && !info.Mode().IsRegular():
			return "", errors.New("it names something that is not a regular file")
		case err == nil, errors.Is(err, fs.ErrPermission):
			return path, nil
		}
	}
	return "", errors.New("it names no file")
}
