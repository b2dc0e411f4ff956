package box

import (
	"encoding/xml"
	"reflect"
	"strings"
)

// xmlElement is a value of an own type for package xml, which writes it by a method. The element has the name that package xml hands over if it
// is fixed, or else the one that the value asks for.
type xmlElement struct {
	t     *Type
	v     reflect.Value
	fixed bool
}

// xmlText and xmlAttr are values that encode themselves, as a text and as an attribute.
type (
	xmlText func() ([]byte, error)
	xmlAttr func(xml.Name) (xml.Attr, error)
)

// MarshalText calls the function.
func (f xmlText) MarshalText() ([]byte, error) { return f() }

// MarshalXMLAttr calls the function.
func (f xmlAttr) MarshalXMLAttr(name xml.Name) (xml.Attr, error) { return f(name) }

// XML returns a value as package xml encodes it.
func (s *Space) XML(v any) any { return xmlOf(v, false) }

// XMLNamed is XML for a value whose element is given a name.
func (s *Space) XMLNamed(v any) any { return xmlOf(v, true) }

func xmlOf(v any, fixed bool) any {
	if b, ok := open(v).(boxed); ok {
		return xmlElement{b.content().T, reflect.ValueOf(b.content().V), fixed}
	}
	return v
}

// MarshalXML encodes a value that is inside one of compiled code.
func (v Value) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return xmlElement{v.T, reflect.ValueOf(v.V), false}.MarshalXML(e, start)
}

// MarshalXML encodes the value as package xml would encode it if it were compiled.
func (x xmlElement) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	t, v := dynamic(x.t, x.v)
	for t != nil && v.IsValid() && t.base().kind == pointer {
		if v.IsNil() {
			return nil
		}
		t, v = dynamic(t.base().elem, v.Elem())
	}
	if !v.IsValid() {
		return nil
	}
	if start.Name.Local == reflect.TypeFor[xmlElement]().Name() || start.Name.Local == reflect.TypeFor[Value]().Name() {
		start.Name.Local = "" // Package xml found no other.
	}
	switch {
	case t == nil && start.Name.Local == "":
		return e.Encode(v.Interface())
	case t == nil:
		return e.EncodeElement(v.Interface(), start)
	}
	return x.encode(e, start, t, v)
}

// encode encodes a value that is neither a pointer nor in an interface.
func (x xmlElement) encode(e *xml.Encoder, start xml.StartElement, t *Type, v reflect.Value) error {
	own := start
	if own.Name.Local == "" {
		own.Name.Local, _, _ = strings.Cut(t.short, "[")
	}
	if m, ok := methodOn(t, v, "MarshalXML").(func(*xml.Encoder, xml.StartElement) error); ok {
		return m(e, own)
	}
	if m, ok := methodOn(t, v, "MarshalText").(func() ([]byte, error)); ok {
		return e.EncodeElement(xmlText(m), own)
	}
	b := t.base()
	if (b.kind == slice || b.kind == array) && v.Type().Elem().Kind() != reflect.Uint8 {
		for i := range v.Len() {
			if err := (xmlElement{b.elem, v.Index(i), x.fixed}).MarshalXML(e, start); err != nil {
				return err
			}
		}
		return nil
	}
	if b.kind == record && !x.fixed {
		if name := xmlName(t, v); name.Local != "" {
			own.Name = name
		}
	}
	if own.Name.Local == "" || b.kind == mapping || b.kind == other {
		return &xml.UnsupportedTypeError{Type: t.shown(v.Type())}
	}
	if b.kind == record {
		return e.EncodeElement(xmlRecord(b, v).Interface(), own)
	}
	return e.EncodeElement(v.Interface(), own)
}

// methodOn returns a method of a value or, if the value has an address, of a pointer to it.
func methodOn(t *Type, v reflect.Value, name string) any {
	if _, ok := t.methods[name]; ok {
		return (Value{t, v.Interface()}).method(name)
	}
	if t.pointer != nil && v.CanAddr() {
		return (Value{t.pointer, v.Addr().Interface()}).method(name)
	}
	return nil
}

// xmlTag is the tag of a field, as package xml reads it.
type xmlTag struct {
	space, name, flags string
}

func (f field) xmlTag() xmlTag {
	text := f.tag.Get("xml")
	space, rest, found := strings.Cut(text, " ")
	if !found {
		space, rest = "", text
	}
	name, flags, _ := strings.Cut(rest, ",")
	return xmlTag{space, name, "," + flags + ","}
}

func (t xmlTag) has(flag string) bool { return strings.Contains(t.flags, ","+flag+",") }

// xmlName returns the name that a struct gives its element.
func xmlName(t *Type, v reflect.Value) xml.Name {
	for i, f := range t.base().fields {
		if f.name != "XMLName" {
			continue
		}
		if tag := f.xmlTag(); tag.name != "" {
			return xml.Name{Space: tag.space, Local: tag.name}
		}
		if v.IsValid() {
			if name, ok := reflect.TypeAssert[xml.Name](v.Field(i)); ok {
				return name
			}
		}
	}
	return xml.Name{}
}

// xmlFieldTag returns the tag of a field whose type package xml does not see. The type may name the element.
func xmlFieldTag(f field) reflect.StructTag {
	tag := f.xmlTag()
	t := f.typ
	for t.base().kind == pointer {
		t = t.base().elem
	}
	if tag.name != "" || t.base().kind != record || tag.has("attr") || tag.has("any") {
		return f.tag
	}
	name := xmlName(t, reflect.Value{})
	if name.Local == "" {
		return f.tag
	}
	text := strings.TrimSpace(name.Space + " " + name.Local + strings.TrimRight(tag.flags, ","))
	return reflect.StructTag(`xml:"` + text + `"`)
}

// xmlRecord returns a struct that package xml encodes as a struct of an own type.
func xmlRecord(b *Type, v reflect.Value) reflect.Value {
	var fields []reflect.StructField
	var values []reflect.Value
	for i, f := range b.fields {
		x := reach(v.Field(i))
		if f.embedded && f.structural() && f.tag.Get("xml") != "-" {
			in, ok := xmlInside(f, x)
			if ok {
				m := xmlRecord(in.typ.base(), in.value)
				fields, values = append(fields, reflect.StructField{Name: f.member(), Type: m.Type(), Anonymous: true}), append(values, m)
			}
			continue
		}
		if !f.exported || f.tag.Get("xml") == "-" {
			continue
		}
		m := xmlField(f, x)
		tag := xmlFieldTag(f)
		fields, values = append(fields, reflect.StructField{Name: f.name, Type: m.Type(), Tag: tag}), append(values, m)
	}
	out := reflect.New(reflect.StructOf(fields)).Elem()
	for i, x := range values {
		out.Field(i).Set(x)
	}
	return out
}

// xmlInside returns an embedded struct; false for a nil pointer.
func xmlInside(f field, x reflect.Value) (inner, bool) {
	t, v := f.inside(), x
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if t.base().kind == pointer {
		if !v.IsValid() || v.IsNil() {
			return inner{}, false
		}
		t, v = t.base().elem, v.Elem()
	}
	return inner{t, v}, true
}

// xmlField returns a field's value for package xml.
func xmlField(f field, x reflect.Value) reflect.Value {
	if !own(f.typ) && x.Kind() != reflect.Interface {
		return x
	}
	null := reflect.Zero(anyType)
	tag := f.xmlTag()
	t, v := dynamic(f.typ, x)
	if !v.IsValid() || tag.has("omitempty") && xmlEmpty(v) {
		return null
	}
	if !tag.has("attr") && !tag.has("chardata") && !tag.has("cdata") && !tag.has("comment") && !tag.has("innerxml") {
		if t != nil && t.base().kind == pointer && v.IsNil() {
			return null
		}
		var element any = xmlElement{t, v, false}
		if t == nil {
			element = v.Interface()
		}
		out := reflect.New(anyType).Elem()
		out.Set(reflect.ValueOf(element))
		return out
	}
	for t != nil {
		if m, ok := methodOn(t, v, "MarshalXMLAttr").(func(xml.Name) (xml.Attr, error)); ok && tag.has("attr") {
			return reflect.ValueOf(xmlAttr(m))
		}
		if m, ok := methodOn(t, v, "MarshalText").(func() ([]byte, error)); ok {
			return reflect.ValueOf(xmlText(m))
		}
		if t.base().kind != pointer {
			return xmlTexts(t.base(), v)
		}
		if v.IsNil() {
			return null
		}
		t, v = dynamic(t.base().elem, v.Elem())
	}
	return v
}

// xmlTexts returns the elements of a list as texts, if they encode themselves, or else the value.
func xmlTexts(b *Type, v reflect.Value) reflect.Value {
	if b.kind != slice || v.Len() == 0 || methodOn(b.elem, v.Index(0), "MarshalText") == nil {
		return v
	}
	var out []xmlText
	for i := range v.Len() {
		if m, ok := methodOn(b.elem, v.Index(i), "MarshalText").(func() ([]byte, error)); ok {
			out = append(out, m)
		}
	}
	return reflect.ValueOf(out)
}

// xmlEmpty reports whether package xml omits a value with the option omitempty.
func xmlEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
