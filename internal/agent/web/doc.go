// Package web fetches pages for a model: it requests a URL, reads a bounded answer, and makes text of it. It reads what strangers wrote, so aura runs it
// in a confined process where it can.
package web
