// Command protogen turns .proto files into Go source without protoc: it compiles them in this process, then hands the
// descriptors to the code generators whose versions tools/go.mod pins.
//
// Usage, from the root of the repository:
//
//	go run -C tools ./protogen -root .. shared/wire/pb/wire.proto
//
// Paths are relative to -root, which is also where imports are looked up and where each generated file is written,
// beside its source.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("protogen", flag.ContinueOnError)
	root := flags.String("root", ".", "directory that the paths of the .proto files are relative to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("no .proto file given")
	}
	request, err := compile(ctx, *root, flags.Args())
	if err != nil {
		return fmt.Errorf("compiling: %w", err)
	}
	var files []file
	for _, name := range []string{"protoc-gen-go", "protoc-gen-go-grpc"} {
		made, err := generate(ctx, name, request)
		if err != nil {
			return fmt.Errorf("running %s: %w", name, err)
		}
		files = append(files, made...)
	}
	return write(*root, files)
}
