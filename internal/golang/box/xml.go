package box

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// XMLMarshal is xml.Marshal for a value whose type has the name, or, with a prefix and an indent, xml.MarshalIndent.
func XMLMarshal(name string, v any, indents ...string) ([]byte, error) {
	var out bytes.Buffer
	e := xml.NewEncoder(&out)
	if len(indents) > 1 {
		e.Indent(indents[0], strings.Join(indents[1:], ""))
	}
	if err := XMLEncode(e, name, v); err != nil {
		return nil, err
	}
	return out.Bytes(), e.Close()
}

// XMLEncode is the method Encode of e for a value whose type has the name.
func XMLEncode(e *xml.Encoder, name string, v any) error {
	return e.EncodeElement(v, xml.StartElement{Name: xml.Name{Local: name}})
}
