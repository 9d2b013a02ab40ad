package item

import (
	"bufio"
	"errors"
	"io"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange/item/table"
)

// tableBuffer is the size of the buffer that table.NewReader needs.
const tableBuffer = 64 << 10

// decodeTable decodes a table. Lines that cannot be read become an item with an error.
func (d *Decoder[T]) decodeTable(body io.Reader, yield func(*Decoded[T], error) bool) error {
	rows, err := table.Open(bufio.NewReaderSize(body, tableBuffer), table.Source{
		Entity: d.Type.entity, MaxItemBytes: d.Type.maxBytes, IsRows: d.rows, Mapping: d.Ignored.Mapping})
	if err != nil {
		return err
	}

	for _, column := range rows.Ignored() {
		d.Ignored.AddColumn(column)
	}
	defer func() { d.Ignored.Layout = rows.Layout() }()

	for {
		row, err := rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}

		var it *Decoded[T]
		if row.Issue != nil {
			it = d.unreadableItem(row)
		} else {
			it = d.decodeItem(slices.Clone(row.Body), wire.StartOfLine(row.Line))
			it.Place = row.Place
		}
		it.Lines = row.Lines

		if !yield(it, nil) {
			return errStopped
		}
	}
}

// unreadableItem returns a failed item for lines that cannot be read.
func (d *Decoder[T]) unreadableItem(row table.Item) *Decoded[T] {
	it := &Decoded[T]{Item: Item{Index: d.next, Raw: row.Reject, ID: row.Issue.ID, UnreadableLine: row.Issue.Line,
		Errors: []fault.Field{{Field: row.Issue.Field, Code: table.IssueCode, Message: row.Issue.Message}}}}
	d.next++
	return it
}
