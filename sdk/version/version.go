// Package version holds the version of the SDK that a plugin was written against.
package version

// Version is the semantic version of the SDK. A host of version H loads a plugin whose vendored SDK has version P if H
// lies in the range ~P: same major and minor number, patch at or above P's.
const Version = "0.1.1"
