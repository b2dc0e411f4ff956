package box

import (
	"encoding/xml"
	"errors"
	"io"
	"reflect"
)

// xmlPlace is a place for a value of an own type, into which package xml decodes by methods. filled is called when something is decoded.
type xmlPlace struct {
	t      *Type
	v      reflect.Value
	filled func()
}

// XMLPlace returns what package xml decodes into instead of a pointer.
func (s *Space) XMLPlace(p any) any {
	b, ok := open(p).(boxed)
	if !ok {
		return p
	}
	t, v := b.content().T.base(), reflect.ValueOf(b.content().V)
	if t.kind != pointer || v.Kind() != reflect.Pointer || v.IsNil() {
		return b.content().V
	}
	return &xmlPlace{t.elem, v.Elem(), func() {}}
}

// UnmarshalXML decodes an element.
func (p *xmlPlace) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	p.filled()
	return p.inside(func(t *Type, v reflect.Value) error { return xmlRead(d, start, t, v) })
}

// UnmarshalXMLAttr decodes an attribute.
func (p *xmlPlace) UnmarshalXMLAttr(a xml.Attr) error {
	p.filled()
	return p.inside(func(t *Type, v reflect.Value) error { return xmlReadAttr(a, t, v) })
}

// UnmarshalText decodes the text of an element.
func (p *xmlPlace) UnmarshalText(text []byte) error {
	p.filled()
	return p.inside(func(t *Type, v reflect.Value) error { return xmlReadText(text, t, v) })
}

// inside calls read with the value, also if the interpreter has the value as any.
func (p *xmlPlace) inside(read func(*Type, reflect.Value) error) error {
	if p.t.hidden == nil || p.v.Kind() != reflect.Interface {
		return read(p.t, p.v)
	}
	v := reflect.New(p.t.hidden).Elem()
	if !p.v.IsNil() {
		v.Set(p.v.Elem())
	}
	err := read(p.t, v)
	p.v.SetZero()
	if !v.IsZero() {
		p.v.Set(v)
	}
	return err
}

// pointed returns what a pointer refers to, which is made if there is nothing yet.
func xmlPointed(t *Type, v reflect.Value) (*Type, reflect.Value) {
	for t.base().kind == pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		t, v = t.base().elem, v.Elem()
	}
	return t, v
}

func xmlRead(d *xml.Decoder, start xml.StartElement, t *Type, v reflect.Value) error {
	t, v = xmlPointed(t, v)
	if m, ok := methodOn(t, v, "UnmarshalXML").(func(*xml.Decoder, xml.StartElement) error); ok {
		return m(d, start)
	}
	if m, ok := methodOn(t, v, "UnmarshalText").(func([]byte) error); ok {
		var text string
		if err := d.DecodeElement(&text, &start); err != nil {
			return err
		}
		return m([]byte(text))
	}
	switch b := t.base(); b.kind {
	case iface:
		return xmlReadInterface(d, start, v)
	case slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		n := v.Len()
		v.Grow(1)
		v.SetLen(n + 1)
		v.Index(n).SetZero()
		err := (&xmlPlace{b.elem, v.Index(n), func() {}}).UnmarshalXML(d, start)
		if err != nil {
			v.SetLen(n)
		}
		return err
	case record:
		return xmlReadRecord(d, start, b, v)
	case mapping, array, other:
		return errors.New("unknown type " + t.name)
	}
	return d.DecodeElement(v.Addr().Interface(), &start)
}

// xmlReadInterface decodes into what a pointer in an interface refers to.
func xmlReadInterface(d *xml.Decoder, start xml.StartElement, v reflect.Value) error {
	if !v.IsNil() {
		t, x := dynamic(nil, v)
		switch {
		case !x.IsValid() || x.Kind() != reflect.Pointer || x.IsNil():
		case t == nil:
			return d.DecodeElement(x.Interface(), &start)
		case t.base().kind == pointer:
			return xmlRead(d, start, t.base().elem, x.Elem())
		}
	}
	return d.Skip()
}

func xmlReadAttr(a xml.Attr, t *Type, v reflect.Value) error {
	t, v = xmlPointed(t, v)
	if m, ok := methodOn(t, v, "UnmarshalXMLAttr").(func(xml.Attr) error); ok {
		return m(a)
	}
	if m, ok := methodOn(t, v, "UnmarshalText").(func([]byte) error); ok {
		return m([]byte(a.Value))
	}
	if b := t.base(); b.kind == slice && v.Type().Elem().Kind() != reflect.Uint8 {
		n := v.Len()
		v.Grow(1)
		v.SetLen(n + 1)
		v.Index(n).SetZero()
		err := xmlReadAttr(a, b.elem, v.Index(n))
		if err != nil {
			v.SetLen(n)
		}
		return err
	}
	return xmlReadTokens(v, "any,attr", xml.StartElement{Name: xml.Name{Local: "a"}, Attr: []xml.Attr{a}})
}

func xmlReadText(text []byte, t *Type, v reflect.Value) error {
	t, v = xmlPointed(t, v)
	if m, ok := methodOn(t, v, "UnmarshalText").(func([]byte) error); ok {
		return m(text)
	}
	return xmlReadTokens(v, "chardata", xml.StartElement{Name: xml.Name{Local: "a"}}, xml.CharData(text))
}

// xmlReadTokens decodes into a value of a type of compiled code, by a struct whose only field has a flag.
func xmlReadTokens(v reflect.Value, flag string, tokens ...xml.Token) error {
	one := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: v.Type(), Tag: reflect.StructTag(`xml:",` + flag + `"`)}}))
	one.Elem().Field(0).Set(v)
	list := xmlTokens(append(tokens, xml.EndElement{Name: xml.Name{Local: "a"}}))
	err := xml.NewTokenDecoder(&list).Decode(one.Interface())
	if err == nil {
		v.Set(one.Elem().Field(0))
	}
	return err
}

// xmlTokens is a reader of tokens.
type xmlTokens []xml.Token

// Token returns the next token.
func (l *xmlTokens) Token() (xml.Token, error) {
	if len(*l) == 0 {
		return nil, io.EOF
	}
	t := (*l)[0]
	*l = (*l)[1:]
	return t, nil
}

// xmlModel is what package xml decodes into for a struct of an own type: a struct with places. done holds functions that store what has no place.
type xmlModel struct {
	fields []reflect.StructField
	values []reflect.Value
	done   []func(reflect.Value)
}

func xmlReadRecord(d *xml.Decoder, start xml.StartElement, b *Type, v reflect.Value) error {
	m := newXMLModel(b, v, func() {})
	p := m.pointer()
	err := d.DecodeElement(p.Interface(), &start)
	m.store(p.Elem())
	return err
}

func (m *xmlModel) add(f reflect.StructField, v reflect.Value, done func(reflect.Value)) {
	m.fields, m.values, m.done = append(m.fields, f), append(m.values, v), append(m.done, done)
}

// pointer returns a pointer to the struct.
func (m *xmlModel) pointer() reflect.Value {
	out := reflect.New(reflect.StructOf(m.fields))
	for i, x := range m.values {
		out.Elem().Field(i).Set(x)
	}
	return out
}

func (m *xmlModel) store(v reflect.Value) {
	for i, done := range m.done {
		done(v.Field(i))
	}
}

// newXMLModel returns the model of a struct. filled is called when something is decoded.
func newXMLModel(b *Type, v reflect.Value, filled func()) *xmlModel {
	m := &xmlModel{}
	for i, f := range b.fields {
		x := reach(v.Field(i))
		tag := f.xmlTag()
		switch {
		case f.tag.Get("xml") == "-":
		case f.embedded && f.structural():
			m.embed(f, x, filled)
		case !f.exported:
		case x.Type() == reflect.TypeFor[xml.Name]() && f.name == "XMLName", (tag.has("comment") || tag.has("innerxml")) && x.Kind() != reflect.Interface:
			m.add(reflect.StructField{Name: f.name, Type: x.Type(), Tag: f.tag}, x, func(from reflect.Value) {
				if !from.IsZero() {
					filled()
				}
				x.Set(from)
			})
		default:
			place := xmlPlace{f.typ, x, filled}
			m.add(reflect.StructField{Name: f.name, Type: reflect.TypeFor[xmlPlace](), Tag: xmlFieldTag(f)}, reflect.ValueOf(place), func(reflect.Value) {})
		}
	}
	return m
}

// embed adds the fields of an embedded struct. A struct behind a nil pointer is made when something is decoded into it.
func (m *xmlModel) embed(f field, x reflect.Value, filled func()) {
	in, ok := xmlInside(f, x)
	done := func() {}
	if !ok {
		made := reflect.New(f.rawTarget(x))
		in = inner{f.inside().target(), made.Elem()}
		used := false
		filled = func() { used = true }
		done = func() {
			if used {
				x.Set(made)
			}
		}
	}
	inside := newXMLModel(in.typ.base(), in.value, filled)
	p := inside.pointer()
	m.add(reflect.StructField{Name: f.member(), Type: p.Type().Elem(), Anonymous: true}, p.Elem(), func(from reflect.Value) {
		inside.store(from)
		done()
	})
}

// rawTarget returns what the interpreter has for the struct to which a field points.
func (f field) rawTarget(x reflect.Value) reflect.Type {
	if x.Kind() == reflect.Interface && f.typ.hidden != nil {
		return f.typ.hidden.Elem()
	}
	return x.Type().Elem()
}
