package box

import (
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	html "html/template"
	"io"
	plain "text/template"
)

// adapted returns a method of a value of the library whose argument may be of an own type, or nil. Source that calls it by an interface of its own does
// not know the method.
func (s *Space) adapted(v any, name string) any {
	switch v := v.(type) {
	case *json.Encoder:
		if name == "Encode" {
			return func(x any) error { return s.Encode(func() error { return v.Encode(s.Mirror(x)) }) }
		}
	case *json.Decoder:
		if name == "Decode" {
			return func(p any) error { return s.Fill(p, v.Decode) }
		}
	case *xml.Encoder:
		switch name {
		case "Encode":
			return func(x any) error { return v.Encode(s.XML(x)) }
		case "EncodeElement":
			return func(x any, start xml.StartElement) error { return v.EncodeElement(s.XMLNamed(x), start) }
		}
	case *xml.Decoder:
		switch name {
		case "Decode":
			return func(p any) error { return v.Decode(s.XMLPlace(p)) }
		case "DecodeElement":
			return func(p any, start *xml.StartElement) error { return v.DecodeElement(s.XMLPlace(p), start) }
		}
	case *gob.Encoder:
		if name == "Encode" {
			return func(x any) error { return s.GobWrite(x, v.Encode) }
		}
	case *gob.Decoder:
		if name == "Decode" {
			return func(p any) error { return s.GobRead(p, v.Decode) }
		}
	case *plain.Template, *html.Template:
		switch name {
		case "Execute":
			return func(w io.Writer, x any) error { return s.Execute(v, w, x) }
		case "ExecuteTemplate":
			return func(w io.Writer, name string, x any) error { return s.ExecuteTemplate(v, w, name, x) }
		}
	}
	return nil
}
