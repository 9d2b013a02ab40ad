package exchange

import (
	"bytes"
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// ExportTable writes products of the store as a table that can be uploaded again: an upload of the unchanged table
// changes nothing. params.OwnIDs has no effect. The first row has the names of the columns, which are those that a
// product fills. tx must be a snapshot, which is read twice. write must not retain the cells.
//
// A thing without an external id has its own id, which an upload does not find before AssignIDs has assigned it.
// ExportTable therefore returns ErrNeedsIDs before it writes anything, unless mayLackIDs is set.
func (s *Exports) ExportTable(
	ctx context.Context, tx store.Tx, params ExportParams, mayLackIDs bool, write func(cells []xlsx.Cell) error,
) (exported Exported, err error) {
	defer fault.AddContext(&err, "export a table of store %s", tx.StoreID())

	params.OwnIDs = true
	columns := table.NewWriter(params.Entity)
	if _, err := s.eachLine(ctx, tx, params, func(line []byte) error {
		if hasOwnID(line) && !mayLackIDs {
			return ErrNeedsIDs
		}
		return columns.Add(unmarked(line))
	}); err != nil {
		return Exported{}, err
	}

	names, err := columns.Header()
	if err != nil {
		return Exported{}, err
	}
	header := make([]xlsx.Cell, len(names))
	for i, name := range names {
		header[i] = xlsx.Text(name)
	}
	if err := write(header); err != nil {
		return Exported{}, err
	}

	return s.eachLine(ctx, tx, params, func(line []byte) error { return columns.Lines(unmarked(line), write) })
}

// ErrNeedsIDs says that something has no external id.
var ErrNeedsIDs = fault.New(fault.Conflict, "needs_ids", "Some products have no id in the exchange yet.")

// AssignTableIDs gives everything that ExportTable writes an external id; see AssignIDs.
func (s *Exports) AssignTableIDs(ctx context.Context, storeID store.ID, by store.Actor) error {
	for _, entity := range []string{Categories, Features, VariantOptions, Stocks, PriceLists, Products} {
		if err := s.AssignIDs(ctx, storeID, entity, by); err != nil {
			return err
		}
	}
	return nil
}

// eachLine calls fn with each line of an export, which it must not retain.
func (s *Exports) eachLine(
	ctx context.Context, tx store.Tx, params ExportParams, fn func(line []byte) error,
) (Exported, error) {
	var begun []byte // of a line whose end has not been written yet

	return s.Export(ctx, tx, params, func(part []byte) error {
		for {
			line, rest, ended := bytes.Cut(part, []byte("\n"))
			if !ended {
				begun = append(begun, part...)
				return nil
			}

			if len(begun) > 0 {
				line = append(begun, line...)
			}
			if err := fn(line); err != nil {
				return err
			}
			begun = begun[:0]
			part = rest
		}
	})
}
