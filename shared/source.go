package shared

import "embed"

// Source holds the packages that every compiled plugin contains, at the paths that they have here. They import nothing but each other and the standard library.
//
//go:embed exact/*.go frame/*.go
var Source embed.FS
