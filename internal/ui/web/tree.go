package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/base/redact"
)

const (
	// maxNodes is how many values a tree shows, maxNesting how deep it is, and longestLeaf how many bytes of a text it shows.
	maxNodes    = 4000
	maxNesting  = 30
	longestLeaf = 16 << 10
)

// node is a value of JSON in a tree.
type node struct {
	// Name is the key or the number in what it is part of. Path is the way from the root, for what is unfolded.
	Name, Path string
	// Text is a value without parts, and Parts are those of an object or a list, which Kind describes.
	Text, Kind string
	Parts      []*node
	// Open says that it is unfolded at first. Long says that the text has lines of its own.
	Open, Long bool
	// Left says what is not shown.
	Left string
}

// tree returns a document of JSON without secrets as a tree, with its keys in their order. It returns nil if there is none. name tells the
// trees of a page apart.
func tree(name string, raw json.RawMessage, secrets *redact.Redactor) *node {
	if len(raw) == 0 {
		return nil
	}
	// Secrets are removed from whole texts: the beginning of one would not be recognized.
	d := json.NewDecoder(bytes.NewReader(secrets.JSON(raw)))
	d.UseNumber()
	left := maxNodes
	root := &node{Path: name}
	if err := root.read(d, &left, 0); err != nil {
		return &node{Text: err.Error()}
	}
	root.Open = true
	return root
}

// treeOf returns a value as a tree.
func treeOf(name string, value any, secrets *redact.Redactor) *node {
	raw, err := json.Marshal(value)
	if err != nil {
		return &node{Text: err.Error()}
	}
	return tree(name, raw, secrets)
}

// read reads the next value. What is too much is read and left out.
func (n *node) read(d *json.Decoder, left *int, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	*left--
	delim, ok := token.(json.Delim)
	if !ok {
		n.leaf(token)
		return nil
	}
	object := delim == '{'
	for count := 0; ; count++ {
		if !d.More() {
			n.Kind = map[bool]string{true: "object", false: "list"}[object] + " of " + strconv.Itoa(count)
			if hidden := count - len(n.Parts); hidden > 0 {
				n.Left = fmt.Sprintf("%d parts are not shown", hidden)
			}
			break
		}
		part := &node{Name: strconv.Itoa(count)}
		if object {
			key, err := d.Token()
			if err != nil {
				return err
			}
			part.Name, _ = key.(string)
		}
		part.Path = n.Path + "." + strconv.Itoa(count)
		if err := part.read(d, left, depth+1); err != nil {
			return err
		}
		if *left > 0 && depth < maxNesting {
			// Few parts, near the root, are seen at once.
			part.Open = depth == 0 && len(part.Parts) > 0 && len(part.Parts) <= 8
			n.Parts = append(n.Parts, part)
		}
	}
	_, err = d.Token() // the end of the object or the list
	return err
}

// leaf sets a value without parts.
func (n *node) leaf(token json.Token) {
	text, isText := token.(string)
	if !isText {
		n.Text = "null"
		if token != nil {
			n.Text = fmt.Sprint(token)
		}
		return
	}
	if len(text) > longestLeaf {
		n.Left = fmt.Sprintf("%d bytes more", len(text)-longestLeaf)
		text = strings.ToValidUTF8(text[:longestLeaf], "")
	}
	n.Text = text
	n.Long = strings.Contains(text, "\n") || len(text) > 2*longestOpening
	if !n.Long {
		n.Text = strconv.Quote(text)
	}
}
