package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// ReadName is the name of the tool that reads files.
const ReadName = "Read"

// readLimit is the maximum number of bytes of a file that one call returns.
const readLimit = 256 << 10

type readArgs struct {
	Path string `json:"path"`
	// LineStart and LineEnd are inclusive and count from 1. Zero means the first and the last line.
	LineStart int `json:"line_start"`
	LineEnd   int `json:"line_end"`
}

func (o Options) read() tool.Tool {
	return builtIn[readArgs]{
		definition: tool.Definition{
			Name:        ReadName,
			Description: "Read a text file, or some of its lines. An image, a PDF file or audio is shown as a whole.",
			Parameters: object(`{"path":{"type":"string","minLength":1,"description":"the file"},`+
				`"line_start":{"type":"integer","minimum":1,"description":"first line to read; default the first"},`+
				`"line_end":{"type":"integer","minimum":1,"description":"last line to read; default the last"}}`,
				"path"),
			Source:   tool.SourceBuiltin,
			Parallel: true,
		},
		run: o.runRead,
		paths: func(a readArgs) (sdk.ToolPaths, error) {
			file := []string{o.resolve(a.Path)}
			return sdk.ToolPaths{Read: file, Record: file}, nil
		},
	}
}

func (o Options) runRead(ctx context.Context, args readArgs, call tool.Call) (string, error) {
	if args.LineEnd > 0 && args.LineEnd < args.LineStart {
		return "", fmt.Errorf("reading %s: line_end %d is before line_start %d", args.Path, args.LineEnd, args.LineStart)
	}
	file, info, err := readguard.Open(o.resolve(args.Path))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", args.Path, err)
	}
	defer file.Close()
	text, err := media(file, info.Size(), args.Path, call)
	if text == "" && err == nil {
		text, err = lines(ctx, file, args)
	}
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", args.Path, err)
	}
	return text, nil
}

// media passes a media file on and returns a description of it. It returns an empty string for other files, and for all files if nobody takes
// them.
func media(file io.ReadSeeker, size int64, name string, call tool.Call) (string, error) {
	if !call.TakesFiles() {
		return "", nil
	}
	head, err := io.ReadAll(io.LimitReader(file, files.Head))
	if err != nil {
		return "", err
	}
	mediaType := files.MediaType(head)
	if mediaType == "" {
		_, err = file.Seek(0, io.SeekStart)
		return "", err
	}
	most := limit.Media(mediaType)
	rest, err := io.ReadAll(io.LimitReader(file, int64(most-len(head)+1)))
	if err != nil {
		return "", err
	}
	data := append(head, rest...)
	if len(data) > most {
		if call.File != nil {
			call.File(tool.File{Name: name, Type: mediaType})
		}
		advice := ""
		if mediaType == files.PDF {
			advice = "; if they are installed, `qpdf --empty --pages FILE 1-20 -- PART.pdf` writes some of its pages to a file, and `pdftotext FILE -` prints its text"
		}
		return "", fmt.Errorf("it has %d bytes, and an attached file of type %s has at most %s%s", max(size, int64(len(data))), mediaType, limit.Size(most), advice)
	}
	return call.Give(tool.File{Name: name, Type: mediaType, Data: data}), nil
}

// lines returns the requested lines, up to the limit. If the limit is reached, the result says where to continue.
func lines(ctx context.Context, in io.Reader, args readArgs) (string, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	start, _ := r.Peek(textProbe)
	if binary(start) {
		return "", errBinary
	}
	if bytes.HasPrefix(start, []byte(byteOrderMark)) {
		_, _ = r.Discard(len(byteOrderMark))
	}
	var out strings.Builder
	number := 0
	for args.LineEnd == 0 || number < args.LineEnd {
		wanted := number+1 >= args.LineStart
		room := 0
		if wanted {
			room = readLimit - out.Len()
		}
		line, cut, err := readLine(ctx, r, nil, room)
		if len(line) > 0 || cut {
			number++
		}
		out.Write(line)
		if wanted && cut {
			fmt.Fprintf(&out, "\n[... cut in line %d after %d bytes; read on from there with line_start ...]", number, readLimit)
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if number < args.LineStart && args.LineStart > 1 {
		return "", fmt.Errorf("it has no line %d; the last one is %d", args.LineStart, number)
	}
	return strings.ToValidUTF8(out.String(), "\uFFFD"), nil
}

// readLine reads up to the end of a line and appends at most room bytes of it to line. cut reports whether bytes were omitted. A line can
// be endless, so the context is checked for each part.
func readLine(ctx context.Context, r *bufio.Reader, line []byte, room int) (_ []byte, cut bool, err error) {
	for {
		if ctx.Err() != nil {
			return line, cut, context.Cause(ctx)
		}
		part, err := r.ReadSlice('\n')
		if len(part) > room {
			part, cut = part[:room], true
		}
		line, room = append(line, part...), room-len(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, cut, err
		}
	}
}
