package sandbox

import (
	"path/filepath"
	"slices"
)

// layered returns the caches of the policy that get a private layer: those that the policy grants as such. A cache that extra names, or that
// is part of the working directory, is the user's wish. A cache that contains the home directory would layer everything.
func (p *Policy) layered(at Place, extra []string) []string {
	if at.Store == "" {
		return nil
	}
	all := append(below(at.Home, caches), present(at.Caches...)...)
	return slices.DeleteFunc(all, func(cache string) bool {
		return !slices.Contains(p.ReadWrite, cache) || covering(extra, cache) != "" || within(at.Workdir, cache) || at.wide(cache)
	})
}

// layerName is the name of a layer among the pinned paths. It is not absolute, so that it differs from every path.
func layerName(path string) string { return "layer:" + path }

// layer is a cache with a private layer above it. All are directories.
type layer struct {
	Lower string `json:"lower"`
	Upper string `json:"upper"`
	Work  string `json:"work"`
}

// layerIn returns the layer of a cache in the directory of a session's layers.
func layerIn(slot, cache string) layer {
	dir := filepath.Join(slot, layerDir(cache))
	return layer{Lower: cache, Upper: filepath.Join(dir, "upper"), Work: filepath.Join(dir, "work")}
}
