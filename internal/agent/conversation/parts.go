package conversation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// Attachable describes a media file, or returns the reason why the model that answers the next prompt does not get it.
// It reads only the beginning of a file and consults neither plugins nor the policy: Send does. It may be called at any time.
func (c *Conversation) Attachable(ctx context.Context, a Attachment) (event.Attachment, error) {
	return c.attachments.attachable(ctx, a)
}

// attachable is Attachable of a conversation.
func (a *attachments) attachable(ctx context.Context, file Attachment) (event.Attachment, error) {
	name, head, size := file.Path, file.Data, len(file.Data)
	var err error
	if file.Data == nil {
		head, size, err = a.headOf(file.Path)
	} else {
		name = pastedName(file.Data, 1)
	}
	out := event.Attachment{Name: name, Size: size}
	if err == nil {
		out.MediaType, err = mediaOf(head, size)
	}
	if err == nil {
		err = a.refusal(ctx, out.MediaType)
	}
	if err != nil {
		return event.Attachment{}, fmt.Errorf("attaching %s: %w", name, err)
	}
	return out, nil
}

// headOf returns the beginning of a file, and its size in bytes.
func (a *attachments) headOf(path string) (head []byte, size int, err error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.workdir, path)
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	head, err = io.ReadAll(io.LimitReader(file, files.Head))
	return head, int(info.Size()), err
}

// mediaOf returns the media type of a media file of a size in bytes, which it recognizes by the beginning of its
// content. It fails for everything else, and for files that are too large.
func mediaOf(head []byte, size int) (string, error) {
	mediaType := files.MediaType(head)
	if mediaType == "" {
		return "", errors.New("it is neither an image (PNG, JPEG, GIF, WebP), nor audio (WAV, MP3, AIFF, AAC, Ogg, FLAC), nor a PDF file")
	}
	if most := limit.Media(mediaType); size > most {
		return "", fmt.Errorf("it has %d bytes, and an attached file of type %s has at most %s", size, mediaType, limit.Size(most))
	}
	return mediaType, nil
}

// checkParts returns an error if the parts are too many or too large for one message.
func checkParts(parts []llm.Part) error {
	size := 0
	for _, p := range parts {
		size += len(p.Data)
	}
	switch {
	case len(parts) > limit.Parts:
		return fmt.Errorf("a prompt takes at most %d images, audio files and PDF files", limit.Parts)
	case size > limit.PartBytes:
		return fmt.Errorf("the images, audio files and PDF files of the prompt have %d bytes, and at most %s are sent", size, limit.Size(limit.PartBytes))
	default:
		return nil
	}
}

// refusal returns the reason why the model that answers the next prompt does not take files of a media type, or nil if it takes
// them or may take them.
func (a *attachments) refusal(ctx context.Context, mediaType string) error {
	who := a.personas.current()
	if !who.model.Refuses(mediaType) {
		return nil
	}
	if !who.model.Carries(mediaType) && len(who.model.Audio) > 0 {
		return errors.New(who.reason(mediaType) + "; convert the file")
	}
	needed := llm.Needs(mediaType)
	advice := "choose a model that does with --model or /model"
	if names := who.having(ctx, needed); len(names) > 0 {
		advice += ", such as " + strings.Join(names, " or ")
	}
	if who.model.Carries(mediaType) {
		advice += fmt.Sprintf(", or add %q to model.capabilities of the agent if the model does take them", needed)
	}
	return fmt.Errorf("%s; %s", who.reason(mediaType), advice)
}

// kindOf returns the plural of a kind of file, for messages.
func kindOf(mediaType string) string {
	switch {
	case mediaType == files.PDF:
		return "PDF files"
	case files.IsAudio(mediaType):
		return "audio"
	default:
		return "images"
	}
}

const (
	// havingPatience is how long a provider may take to list its models for an advice.
	havingPatience = 3 * time.Second
	// havingMost is how many models an advice names.
	havingMost = 2
)

// having returns names of the provider's models that have a capability. It returns none if the provider cannot list its models.
func (s speaker) having(ctx context.Context, capability string) []string {
	lister, ok := s.Provider.(llm.Lister)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, havingPatience)
	defer cancel()
	// The advice is complete without names, so a failure is not reported.
	models, _ := lister.Models(ctx)
	var names []string
	for _, m := range models {
		if m.Name != s.modelName() && slices.Contains(m.Capabilities, capability) {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names[:min(len(names), havingMost)]
}

// described returns parts as events show them.
func described(parts []llm.Part) []event.Attachment {
	var out []event.Attachment
	for _, p := range parts {
		out = append(out, event.Attachment{Name: p.Name, MediaType: p.Type, Size: len(p.Data)})
	}
	return out
}

// partTokens returns the estimated number of tokens of parts.
func partTokens(parts []llm.Part) int {
	n := 0
	for _, p := range parts {
		n += p.Tokens()
	}
	return n
}

// takeable returns messages without the parts that the model is known not to take, and the kinds of files that are left out.
// Messages that need no change are shared.
func (s speaker) takeable(messages []llm.Message) (kept []llm.Message, left []string) {
	refused := func(p llm.Part) bool { return s.model.Refuses(p.Type) }
	kept = messages
	for i, m := range messages {
		if !slices.ContainsFunc(m.Parts, refused) {
			continue
		}
		if left == nil {
			kept = slices.Clone(messages)
		}
		for _, p := range m.Parts {
			if kind := kindOf(p.Type); refused(p) && !slices.Contains(left, kind) {
				left = append(left, kind)
			}
		}
		kept[i].Parts = slices.DeleteFunc(slices.Clone(m.Parts), refused)
	}
	return kept, left
}

// reason returns the reason why the model does not take files of a media type.
func (s speaker) reason(mediaType string) string {
	if !s.model.Carries(mediaType) && len(s.model.Audio) > 0 {
		return fmt.Sprintf("%s takes audio as %s only, not as %s", s.title(), strings.Join(s.model.Audio, " and "), mediaType)
	}
	return fmt.Sprintf("%s takes no %s", s.title(), kindOf(mediaType))
}

// refuses returns why the model does not take parts, or "" if it may take them.
func (s speaker) refuses(parts []llm.Part) string {
	for _, p := range parts {
		if s.model.Refuses(p.Type) {
			return s.reason(p.Type)
		}
	}
	return ""
}
