package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// send sends the user's text, the files that it mentions, and other files.
func (s *Session) send(ctx context.Context, text string, attached ...frontend.Attachment) error {
	return s.sendWith(ctx, text, nil, attached...)
}

// sendWith is send for a prompt in which the output of shell lines takes the place of the lines.
func (s *Session) sendWith(ctx context.Context, text string, lines []string, attached ...frontend.Attachment) error {
	defer s.watching()()
	plain, mentions := prompt.Mentions(text)
	var all []conversation.Attachment
	for _, line := range lines {
		all = append(all, conversation.Attachment{Line: line})
	}
	var paths []string
	for _, a := range attached {
		if a.Output != "" {
			all = append(all, conversation.Attachment{Name: a.Name, Output: a.Output, Status: a.Status})
			continue
		}
		if a.Data == nil && slices.Contains(paths, a.Path) {
			continue
		}
		all = append(all, conversation.Attachment{Path: a.Path, Data: a.Data, Name: a.Name, Required: true})
		paths = append(paths, a.Path)
	}
	mentions, resources := s.servers.mentioned(s.setup.Config.Workdir, mentions)
	all = append(all, resources...)
	for _, path := range mentioned(s.setup.Config.Workdir, mentions, paths, s.notices.show) {
		all = append(all, conversation.Attachment{Path: path})
	}
	err := s.talk.Send(ctx, plain, all...)
	s.watchCommands()
	s.rewinds.lookAfterPrompt()
	if failure, ok := errors.AsType[*llm.Error](err); ok && failure.Type == sdk.ErrorTypeModelUnavailable {
		s.notices.refusedModel(s.setup, s.opts.Model)
	}
	return s.secrets.Error(err)
}

// Attachable describes a file for a prompt, or returns the reason why the present model does not get it.
func (s *Session) Attachable(ctx context.Context, a frontend.Attachment) (event.Attachment, error) {
	described, err := s.talk.Attachable(ctx, conversation.Attachment{Path: a.Path, Data: a.Data})
	return described, s.secrets.Error(err)
}

// mentioned returns the files that a prompt in workdir mentions, except those that are attached anyway. It checks only the names; the tool
// that reads the files decides whether they can be read. A mention that is not a file remains text.
func mentioned(workdir string, mentions []prompt.Mention, attached []string, notify func(string)) []string {
	var out []string
	for _, m := range mentions {
		path, err := fileOf(workdir, m)
		switch {
		case err != nil:
			notify(fmt.Sprintf(`%s stays text: %v; write \@ for a plain @`, m.Text, err))
		case slices.Contains(out, path), slices.Contains(attached, path):
		case len(out) == limit.Attachments:
			notify(fmt.Sprintf("%s stays text: a prompt attaches at most %d files", m.Text, limit.Attachments))
		default:
			out = append(out, path)
		}
	}
	return out
}

// fileOf returns the longest path of a mention that exists.
func fileOf(workdir string, m prompt.Mention) (string, error) {
	for _, path := range m.Paths {
		absolute := path
		if !filepath.IsAbs(path) {
			absolute = filepath.Join(workdir, path)
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
