package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// file is one generated file; name is relative to the root.
type file struct {
	name    string
	content string
}

// generate runs one of the module's tools, which read a request on standard input and answer on standard output. It
// relies on the working directory being inside the tools module, as it is under `go run -C tools`.
func generate(ctx context.Context, tool string, request *pluginpb.CodeGeneratorRequest) ([]file, error) {
	in, err := proto.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "tool", tool)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out.Bytes(), &response); err != nil {
		return nil, fmt.Errorf("decoding the answer: %w", err)
	}
	if msg := response.GetError(); msg != "" {
		return nil, errors.New(msg)
	}
	var files []file
	for _, f := range response.GetFile() {
		files = append(files, file{name: f.GetName(), content: f.GetContent()})
	}
	return files, nil
}

func write(root string, files []file) error {
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f.name))
		if err := os.WriteFile(path, []byte(f.content), 0o644); err != nil {
			return fmt.Errorf("writing generated code: %w", err)
		}
	}
	return nil
}
