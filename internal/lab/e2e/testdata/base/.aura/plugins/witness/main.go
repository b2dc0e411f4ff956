package witness

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

var calls int

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	calls++
	return sdk.Result{Notice: fmt.Sprintf("witness saw call %d", calls)}, nil
}
