// Package editor tests aura in an editor, over the Agent Client Protocol.
package editor
