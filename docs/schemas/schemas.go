// Package schemas holds the JSON schemas of the files in a home. They are generated:
//
//	go test ./internal/settings/schema -run TestPublished -update
package schemas

import "embed"

// Files are the schemas, NAME.schema.json.
//
//go:embed *.schema.json
var Files embed.FS
