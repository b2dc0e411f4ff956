package toolhost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// Argument makes this program run the call on its standard input, unconfined.
const Argument = "__call"

// mark is the environment variable by which the process of a call is found.
const mark = "AURA_CALL"

// Unconfined runs a call in a process that nothing confines. So a tool that reads what strangers wrote cannot take aura down where there is
// no sandbox.
func Unconfined(ctx context.Context, call sandbox.Call, env []string) (Answer, error) {
	program, err := Program()
	if err != nil {
		return Answer{}, err
	}
	asked, err := json.Marshal(call)
	if err != nil {
		return Answer{}, fmt.Errorf("encoding the call of %s: %w", call.Tool, err)
	}
	out := &process.Head{Max: 2 * limit.PDF} // of a file in base64 and the text
	last := &process.Tail{Max: 500}
	err = process.Run(ctx, process.Spec{
		Path: program.Start, Args: []string{program.Path, Argument}, Dir: filepath.Dir(program.Path), Env: append(slices.Clone(env), NoCollection),
		Stdin: bytes.NewReader(asked), Stdout: out, Stderr: last, Mark: mark, Guard: true,
	})
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("running %s in a process of its own: %w: %s", call.Tool, err, strings.TrimSpace(last.String()))
	}
	var said Answer
	kept, _ := out.Kept()
	if err := json.Unmarshal(kept, &said); err != nil {
		return Answer{}, fmt.Errorf("reading the answer of %s: %w", call.Tool, err)
	}
	return said, nil
}

// serve is the other side of Unconfined. It returns the exit status.
func serve(in io.Reader, out, problems io.Writer, run sandbox.Tool) int {
	err := func() error {
		var call sandbox.Call
		if err := json.NewDecoder(in).Decode(&call); err != nil {
			return fmt.Errorf("reading the call: %w", err)
		}
		value, err := run(context.Background(), call, func([]byte) {})
		if err != nil {
			return err
		}
		_, err = out.Write(value)
		return err
	}()
	if err != nil {
		_, _ = fmt.Fprintln(problems, err)
		return 1
	}
	return 0
}
