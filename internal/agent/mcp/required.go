package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/idelchi/aura/internal/base/limit"
)

// errNotOpened is the error of a call that needs the user to open a URL first.
var errNotOpened = errors.New("the server wants a URL opened first, and the user did not open it")

// openRequired asks the user to open the URLs that a server wants opened before it takes a call, which failed with err. It reports whether the call
// can be made again. The server may say when the user is done there, or not, so the user is asked to confirm that.
func (l *link) openRequired(ctx context.Context, err error) (again bool, fault error) {
	answer, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || answer.Code != sdk.CodeURLElicitationRequired {
		return false, err
	}
	var data struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	if json.Unmarshal(answer.Data, &data) != nil || len(data.Elicitations) == 0 || len(data.Elicitations) > limit.MCPQuestions {
		return false, err
	}
	for _, p := range data.Elicitations {
		if p == nil || p.Mode != "url" || p.URL == "" {
			return false, err
		}
		p.Message = shortened(p.Message) + "\n\nOpen it, and answer when you are done there."
		asked, err := l.elicit(ctx, l.name, p)
		if err != nil {
			return false, err
		}
		if asked.Action != actionAccept {
			return false, errNotOpened
		}
	}
	return true, nil
}
