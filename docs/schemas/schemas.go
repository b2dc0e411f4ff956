// Package schemas holds the JSON schemas of aura's configuration files. They are generated:
//
//	go test ./internal/docs -run TestConfigurationSchemas -update
package schemas

import "embed"

// Files are the schemas, NAME.schema.json.
//
//go:embed *.schema.json
var Files embed.FS
