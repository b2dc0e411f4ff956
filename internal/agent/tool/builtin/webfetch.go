package builtin

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/web"
)

// WebFetchName is the name of the tool that fetches pages.
const WebFetchName = "WebFetch"

type webFetchArgs struct {
	URL string `json:"url"`
}

// webFetch returns the whole text of a page. What calls it shows a part and stores the rest; see web.Pages.
func (o Options) webFetch() tool.Tool {
	return builtIn[webFetchArgs]{
		definition: tool.Definition{
			Name: WebFetchName,
			Description: "Fetch a page by HTTPS: HTML as Markdown, text as it is, an image or a PDF file as a whole. A redirect to another host is named, not followed. " +
				"A long page is cut; go on with offset. A page is fetched once in a session, unless fresh is set.",
			Parameters: object(`{"url":{"type":"string","minLength":1,"description":"the whole URL"},`+
				`"offset":{"type":"integer","minimum":0,"description":"where to go on in a long page, as its result says; default 0"},`+
				`"fresh":{"type":"boolean","description":"fetch the page again; default false"}}`,
				"url"),
			Source:   tool.SourceBuiltin,
			Parallel: true,
		},
		run: o.runWebFetch,
	}
}

func (o Options) runWebFetch(ctx context.Context, args webFetchArgs, call tool.Call) (string, error) {
	address, err := web.Address(args.URL)
	if err != nil {
		return "", fmt.Errorf("fetching a page: %w", err)
	}
	page, err := web.Fetcher{Dial: o.Network.Dial, Decode: o.Decode}.Get(ctx, address)
	if err != nil {
		return "", fmt.Errorf("fetching %s: %w", address.Redacted(), err)
	}
	out, err := page.Result(func(mediaType string, data []byte) string {
		if !call.TakesFiles() {
			return fmt.Sprintf("[%s, %d bytes: not shown]", mediaType, len(data))
		}
		return call.Give(tool.File{Name: page.URL, Type: mediaType, Data: data})
	})
	if err != nil {
		err = fmt.Errorf("fetching %s: %w", page.URL, err)
	}
	return out, err
}
