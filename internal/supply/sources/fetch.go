package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/idelchi/aura/internal/supply/index"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/supply/signature"
)

const (
	// marketplaceFile is the list of a marketplace, at the top of its repository.
	marketplaceFile = ".claude-plugin/marketplace.json"
	// maxMarketplace is in bytes.
	maxMarketplace = 8 << 20
)

// fetch gets what a source serves. It verifies nothing.
func fetch(ctx context.Context, a install.Address, o Options) (fetched, error) {
	if a.File {
		return fetchFile(ctx, a.URL, o)
	}
	limits := map[string]int64{index.FileName: index.MaxSize, index.SignatureName: signature.MaxFileSignature, marketplaceFile: maxMarketplace}
	found, commit, err := install.ReadFiles(ctx, a.URL, limits, o.Install)
	if err != nil {
		return fetched{}, err
	}
	text, signed := found[index.FileName]
	list, market := found[marketplaceFile]
	switch {
	case signed && found[index.SignatureName] == nil:
		return fetched{}, fmt.Errorf("%s has an %s, but no %s; `aura sources new` makes both", a.URL, index.FileName, index.SignatureName)
	case signed:
		return fetched{kind: KindIndex, text: text, signature: found[index.SignatureName], commit: commit}, nil
	case market:
		return fetched{kind: KindMarketplace, text: list, commit: commit}, nil
	}
	return fetched{}, fmt.Errorf("%s is no source of plugins: it has neither %s nor %s", a.URL, index.FileName, marketplaceFile)
}

// fetchFile gets an index from an https address, and its signature from beside it.
func fetchFile(ctx context.Context, address string, o Options) (fetched, error) {
	text, err := install.Download(ctx, address, index.MaxSize, o.Install)
	if err != nil {
		return fetched{}, err
	}
	armored, err := install.Download(ctx, address+index.SignatureSuffix, signature.MaxFileSignature, o.Install)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; an index at an https address needs a signature beside it, which `aura sources new` makes", err)
	}
	if err != nil {
		return fetched{}, err
	}
	return fetched{kind: KindIndex, text: text, signature: armored}, nil
}
