package catalog

import (
	"fmt"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/seo"
	"vitrine/internal/shop/slug"
)

// Scalars are the members of products or of variants that have one value, in a column of their own. Row is the type of
// what is stored, Edit of an edit, and Push of a pushed item. Everything that treats all scalars alike comes from
// ProductScalars and VariantScalars: statements, reading and writing of JSON, locks, limits of tokens, exports, tables,
// the log and the form of a product.
type Scalars[Row, Edit, Push any] []Scalar[Row, Edit, Push]

// Scalar is one of these members.
type Scalar[Row, Edit, Push any] struct {
	// Name is the name in requests, responses and pushes, and of the column. The column is the key of no index.
	Name string
	// Field is the member that a lock or the limit of a token names.
	Field productfield.Set
	// Column is the type of the column.
	Column database.ColumnType
	// Words name a member of variants in the log and in the form of a product.
	Words string
	// IsNumber says that the member is a number, for which people may type digits in groups and a comma.
	IsNumber bool

	// Text returns the value as the log and the form of a product show it.
	Text func(*Row) string
	// IsSent reports whether the push has the member, Differs whether its value is not the stored one. Drop takes the
	// member out of the push. AppendSent appends the value of a push that has it as JSON.
	IsSent     func(*Push) bool
	Differs    func(*Push, *Row) bool
	Drop       func(*Push)
	AppendSent func([]byte, *Push) []byte

	scanned    func(*Row) any // the argument of Scan
	stored     func(*Row) any // the value of the column
	equal      func(a, b *Row) bool
	appendJSON func([]byte, *Row) []byte
	assign     func(*Row, *Edit, rule.FieldPath, *rule.Violations)
	setText    func(*Edit, string) *fault.Field
	readEdit   func(*wire.Reader, *Edit)
	readPush   func(*wire.Reader, *Push)
	copy       func(*Edit, *Push)
	export     func(*Push, *Row)
}

// scalarType says what values of the type T may be, and how they are read and written.
type scalarType[T comparable] struct {
	column     database.ColumnType
	isNumber   bool
	dest       func(*T) any // the argument of Scan; nil for the pointer itself
	rule       func(sent T) (stored T, broken *fault.Field)
	parse      func(text string) (T, *fault.Field)
	read       func(*wire.Reader) (T, bool)
	appendJSON func([]byte, T) []byte
	stored     func(T) any
	text       func(T) string
}

// textType returns the type of a text with this rule that is read by a function.
func textType(text rule.Text, read func(*wire.Reader) (string, bool)) scalarType[string] {
	return scalarType[string]{
		column: database.Text, rule: text, read: read, appendJSON: wire.AppendString,
		parse:  func(text string) (string, *fault.Field) { return text, nil },
		stored: func(text string) any { return text },
		text:   func(text string) string { return text },
	}
}

// proseType returns the type of a text of at most limit characters. It may be empty, which null stands for, too.
func proseType(limit int) scalarType[string] {
	prose := func(sent string) (string, *fault.Field) { return sent, rule.Plain(sent, limit) }
	return textType(prose, func(r *wire.Reader) (string, bool) {
		if r.Null() {
			return "", true
		}
		return wire.As(r, r.String, prose)
	})
}

// labelType returns the type of a short text, which may be empty or null.
func labelType() scalarType[string] {
	return textType(rule.Label, func(r *wire.Reader) (string, bool) {
		if r.Null() {
			return "", true
		}
		return wire.As(r, r.StringOrNumber, rule.Label)
	})
}

// optionalType returns the type of a number that may be missing, such as a price: then its text is empty and its column
// is NULL.
func optionalType[T money.Fixed]() scalarType[money.Optional[T]] {
	return scalarType[money.Optional[T]]{
		column: database.BigInt, isNumber: true, read: money.ReadOptional[T],
		rule: func(n money.Optional[T]) (money.Optional[T], *fault.Field) { return n, n.Check() },

		parse: func(text string) (money.Optional[T], *fault.Field) {
			if text == "" {
				return money.Optional[T]{}, nil
			}
			return money.ParseOptional[T](text)
		},

		appendJSON: func(b []byte, n money.Optional[T]) []byte { return n.AppendJSON(b) },
		stored:     money.Optional[T].OrNull,
		text:       money.Optional[T].Text,
	}
}

// unitType returns the type of a unit of measure, which may be none.
func unitType() scalarType[Unit] {
	return scalarType[Unit]{
		column: database.Text, rule: Unit.Normalized, parse: parseUnit, read: readUnit,
		appendJSON: func(b []byte, u Unit) []byte { return u.AppendJSON(b) },
		stored:     Unit.OrNull,
		text:       Unit.Text,
	}
}

// slugType returns the type of a slug. In an edit, none asks for one that is made of the name.
func slugType() scalarType[slug.Slug] {
	return scalarType[slug.Slug]{
		column: database.Text, rule: slug.Slug.Normalized, read: slug.Read,
		parse:      func(text string) (slug.Slug, *fault.Field) { return slug.Slug(strings.TrimSpace(text)), nil },
		appendJSON: func(b []byte, s slug.Slug) []byte { return s.AppendJSON(b) },
		stored:     slug.Slug.OrNull,
		text:       func(s slug.Slug) string { return string(s) },
	}
}

// seoType returns the type of what search engines are told.
func seoType() scalarType[seo.Meta] {
	return scalarType[seo.Meta]{
		column: database.Text, rule: seo.Meta.Normalized, parse: seo.Parse, read: seo.Read,
		appendJSON: func(b []byte, m seo.Meta) []byte { return m.AppendJSON(b) },
		stored:     seo.Meta.OrNull,
		text:       seo.Meta.Text,
	}
}

// barcodesType returns the type of the list of barcodes, which may be empty.
func barcodesType() scalarType[Barcodes] {
	return scalarType[Barcodes]{
		column: database.Text, rule: Barcodes.normalized, parse: parseBarcodes, read: readBarcodes,
		appendJSON: func(b []byte, list Barcodes) []byte { return list.AppendJSON(b) },
		stored:     func(list Barcodes) any { return string(list) },
		dest:       func(list *Barcodes) any { return (*string)(list) },
		text:       func(list Barcodes) string { return string(list) },
	}
}

// newScalar returns a scalar. The functions row, edit and push return where it stands in each of the types.
func newScalar[Row, Edit, Push any, T comparable](
	name string, field productfield.Set, of scalarType[T],
	row func(*Row) *T, edit func(*Edit) **T, push func(*Push) **T,
) Scalar[Row, Edit, Push] {
	return Scalar[Row, Edit, Push]{
		Name: name, Field: field, Column: of.column, Words: name, IsNumber: of.isNumber,

		Text:       func(r *Row) string { return of.text(*row(r)) },
		IsSent:     func(p *Push) bool { return *push(p) != nil },
		Differs:    func(p *Push, r *Row) bool { return *push(p) != nil && **push(p) != *row(r) },
		Drop:       func(p *Push) { *push(p) = nil },
		AppendSent: func(b []byte, p *Push) []byte { return of.appendJSON(b, **push(p)) },

		scanned: func(r *Row) any {
			if of.dest == nil {
				return row(r)
			}
			return of.dest(row(r))
		},
		stored:     func(r *Row) any { return of.stored(*row(r)) },
		equal:      func(a, b *Row) bool { return *row(a) == *row(b) },
		appendJSON: func(b []byte, r *Row) []byte { return of.appendJSON(b, *row(r)) },
		assign: func(r *Row, e *Edit, at rule.FieldPath, wrong *rule.Violations) {
			rule.AssignChecked(wrong, row(r), *edit(e), of.rule, at, name)
		},
		setText: func(e *Edit, text string) *fault.Field {
			value, broken := of.parse(text)
			if broken != nil {
				value = *new(T) // the text has its message already
			}
			*edit(e) = &value
			return broken
		},
		readEdit: func(in *wire.Reader, e *Edit) { *edit(e) = wire.OrNil(of.read(in)) },
		readPush: func(in *wire.Reader, p *Push) { *push(p) = wire.OrNil(of.read(in)) },
		copy:     func(e *Edit, p *Push) { *edit(e) = *push(p) },
		export:   func(p *Push, r *Row) { *push(p) = row(r) },
	}
}

// called returns the scalar with other words than its name.
func (s Scalar[Row, Edit, Push]) called(words string) Scalar[Row, Edit, Push] {
	s.Words = words
	return s
}

// Label returns the words of a member of variants as a heading.
func (s Scalar[Row, Edit, Push]) Label() string { return strings.ToUpper(s.Words[:1]) + s.Words[1:] }

// Columns returns the columns for a statement, each after the prefix, such as "p.".
func (list Scalars[Row, Edit, Push]) Columns(prefix string) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = prefix + list[i].Name
	}
	return strings.Join(names, ", ")
}

// Names returns the names of the members, each after the prefix.
func (list Scalars[Row, Edit, Push]) Names(prefix string) []string {
	return strings.Split(list.Columns(prefix), ", ")
}

// assignments returns the SET clauses for the columns of r.
func (list Scalars[Row, Edit, Push]) assignments() string {
	clauses := make([]string, len(list))
	for i := range list {
		clauses[i] = fmt.Sprintf("%[1]s = r.%[1]s", list[i].Name)
	}
	return strings.Join(clauses, ", ")
}

// batch returns a batch with the columns of before, of the scalars, and of after, in this order.
func (list Scalars[Row, Edit, Push]) batch(before, after []database.ColumnType) *database.Batch {
	types := append([]database.ColumnType{}, before...)
	for i := range list {
		types = append(types, list[i].Column)
	}
	return database.NewBatch(append(types, after...)...)
}

// appendStored appends the values of the columns.
func (list Scalars[Row, Edit, Push]) appendStored(values []any, r *Row) []any {
	for i := range list {
		values = append(values, list[i].stored(r))
	}
	return values
}

// AppendScanned appends the arguments of Scan.
func (list Scalars[Row, Edit, Push]) AppendScanned(dest []any, r *Row) []any {
	for i := range list {
		dest = append(dest, list[i].scanned(r))
	}
	return dest
}

// assign assigns the members that the edit has. It adds the rules that they break to wrong.
func (list Scalars[Row, Edit, Push]) assign(r *Row, e *Edit, at rule.FieldPath, wrong *rule.Violations) {
	for i := range list {
		list[i].assign(r, e, at, wrong)
	}
}

// Changed returns the members in which two rows differ.
func (list Scalars[Row, Edit, Push]) Changed(a, b *Row) (fields productfield.Set) {
	for i := range list {
		if !list[i].equal(a, b) {
			fields |= list[i].Field
		}
	}
	return fields
}

// AppendJSON appends the members of an object, each after a comma.
func (list Scalars[Row, Edit, Push]) AppendJSON(b []byte, r *Row) []byte {
	for i := range list {
		b = append(b, ',', '"')
		b = append(b, list[i].Name...)
		b = append(b, '"', ':')
		b = list[i].appendJSON(b, r)
	}
	return b
}

// ReadEdit reads the member with this name into the edit. It returns false if none has the name.
func (list Scalars[Row, Edit, Push]) ReadEdit(in *wire.Reader, name string, e *Edit) bool {
	for i := range list {
		if list[i].Name == name {
			list[i].readEdit(in, e)
			return true
		}
	}
	return false
}

// ReadPush reads the member with this name into the pushed item. It returns false if none has the name.
func (list Scalars[Row, Edit, Push]) ReadPush(in *wire.Reader, name string, p *Push) bool {
	for i := range list {
		if list[i].Name == name {
			list[i].readPush(in, p)
			return true
		}
	}
	return false
}

// SetText gives the edit the member with this name as Scalar.Text writes it. It returns the rule that the text breaks
// because it cannot be such a member, or nil. The use case checks the other rules.
func (list Scalars[Row, Edit, Push]) SetText(e *Edit, name, text string) *fault.Field {
	for i := range list {
		if list[i].Name == name {
			return list[i].setText(e, text)
		}
	}
	return nil
}

// named returns the member with a name.
func (list Scalars[Row, Edit, Push]) named(name string) (_ Scalar[Row, Edit, Push], ok bool) {
	for _, m := range list {
		if m.Name == name {
			return m, true
		}
	}
	return Scalar[Row, Edit, Push]{}, false
}

func notNumber() *fault.Field {
	return &fault.Field{Code: "invalid_type", Message: "This is not a number."}
}

// canonical returns the text of a member as it is shown once it is stored, or the rule that the text breaks.
func (list Scalars[Row, Edit, Push]) canonical(name, text string) (string, *fault.Field) {
	m, ok := list.named(name)
	if !ok {
		return text, &fault.Field{Code: "unknown_member", Message: "There is no such member."}
	}

	if _, isNumber := money.ParseDecimal(text); m.IsNumber && text != "" && !isNumber {
		return text, notNumber()
	}

	var e Edit
	var row Row
	var wrong rule.Violations
	if broken := m.setText(&e, text); broken != nil {
		return text, broken
	}
	if m.assign(&row, &e, "", &wrong); len(wrong.Fields) > 0 {
		return text, &wrong.Fields[0]
	}

	return m.Text(&row), nil
}

// CopyPush gives the edit the members that the pushed item has.
func (list Scalars[Row, Edit, Push]) CopyPush(e *Edit, p *Push) {
	for i := range list {
		list[i].copy(e, p)
	}
}

// Export gives the pushed item all members of a row, which it then shares.
func (list Scalars[Row, Edit, Push]) Export(p *Push, r *Row) {
	for i := range list {
		list[i].export(p, r)
	}
}

// AllSent reports whether the pushed item has all members.
func (list Scalars[Row, Edit, Push]) AllSent(p *Push) bool {
	for i := range list {
		if !list[i].IsSent(p) {
			return false
		}
	}
	return true
}

// AnySent reports whether the pushed item has one of the members.
func (list Scalars[Row, Edit, Push]) AnySent(p *Push) bool {
	for i := range list {
		if list[i].IsSent(p) {
			return true
		}
	}
	return false
}
