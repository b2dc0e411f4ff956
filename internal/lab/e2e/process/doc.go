// Package process tests what happens when aura, its plugins and its servers are killed, hang, flood or end.
package process
