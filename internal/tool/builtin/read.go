package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/idelchi/aura/internal/tool"
)

// readLimit is how many bytes of a file one call returns.
const readLimit = 256 << 10

type readArgs struct {
	Path string `json:"path"`
	// LineStart and LineEnd count from 1 and are both included. Zero means the first and the last line.
	LineStart int `json:"line_start"`
	LineEnd   int `json:"line_end"`
}

func (o Options) read() tool.Tool {
	return builtIn[readArgs]{
		definition: tool.Definition{
			Name:        "Read",
			Description: "Read a text file, or some of its lines.",
			Parameters: object(`{"path":{"type":"string","minLength":1,"description":"the file"},`+
				`"line_start":{"type":"integer","minimum":1,"description":"first line to read; default the first"},`+
				`"line_end":{"type":"integer","minimum":1,"description":"last line to read; default the last"}}`,
				"path"),
			Source:   tool.SourceBuiltin,
			Parallel: true,
		},
		run: o.runRead,
	}
}

func (o Options) runRead(ctx context.Context, args readArgs) (string, error) {
	if args.LineEnd > 0 && args.LineEnd < args.LineStart {
		return "", fmt.Errorf("reading %s: line_end %d is before line_start %d", args.Path, args.LineEnd, args.LineStart)
	}
	path := o.resolve(args.Path)
	if err := regular(path); err != nil {
		return "", fmt.Errorf("reading %s: %w", args.Path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", args.Path, err)
	}
	defer file.Close()
	text, err := lines(ctx, file, args)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", args.Path, err)
	}
	return text, nil
}

// regular refuses what could block forever or is no file at all. Links are followed.
func regular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	default:
		return nil
	}
}

// lines returns the lines asked for, as many as the limit allows. At the limit it says where to read on.
func lines(ctx context.Context, in io.Reader, args readArgs) (string, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	if start, _ := r.Peek(8 << 10); bytes.IndexByte(start, 0) >= 0 {
		return "", errors.New("it is not a text file")
	}
	var out strings.Builder
	number := 0
	for args.LineEnd == 0 || number < args.LineEnd {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		wanted := number+1 >= args.LineStart
		room := 0
		if wanted {
			room = readLimit - out.Len()
		}
		line, cut, err := readLine(r, room)
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

// readLine reads to the end of a line and returns at most room bytes of it, and whether that left something out.
func readLine(r *bufio.Reader, room int) (line []byte, cut bool, err error) {
	for {
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
