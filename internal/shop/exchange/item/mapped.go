package item

import (
	"bytes"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// Meta is what a mapped file says about an item besides its members.
type Meta struct {
	Part    catalog.PushPart `json:"part,omitzero"`
	Article string           `json:"article,omitzero"`
	// Barcodes are the good's own barcodes, separated as in their column; nil if the item says nothing about them.
	Barcodes *catalog.Barcodes `json:"barcodes,omitzero"`
	// Headings is described at catalog.ProductPush.
	Headings []string `json:"headings,omitzero"`
	// CompleteStock says that the remainders of a variant are complete: see catalog.ProductPush and
	// catalog.RemainderPush, which has ListedStocks, too.
	CompleteStock bool     `json:"complete_stock,omitzero"`
	ListedStocks  []string `json:"listed_stocks,omitzero"`
	// CompletePrices says that the prices of a variant in a list are complete: see catalog.ProductPush and
	// catalog.PricePush, which has ListedSteps, too. It is no member of the gate: who pushes there removes a price by
	// null.
	CompletePrices bool             `json:"complete_prices,omitzero"`
	ListedSteps    []money.Quantity `json:"listed_steps,omitzero"`
	// Currencies are the currencies of the prices in price lists: see catalog.ProductPush. They are no members of the
	// gate: a client knows what it pushes into which list, while the currency of a list of 1C changes in 1C.
	Currencies []catalog.ListCurrency `json:"currencies,omitzero"`
	// TakesTexts is described at catalog.AttributePush.
	TakesTexts bool `json:"takes_texts,omitzero"`
	// EmptyStock is the stock in which a variant that is added without remainders has 0, or empty.
	EmptyStock string `json:"empty_stock,omitzero"`
	// TakenUpTo has the same meaning as in catalog.FreeStock; nil if quantities are not free of orders.
	TakenUpTo *int64 `json:"taken_up_to,omitzero"`
	// Warnings were found while the file was mapped.
	Warnings []fault.Field `json:"warnings,omitzero"`
}

// freeStock returns what the quantities of the item are, or nil.
func (m *Meta) freeStock() *catalog.FreeStock {
	if m.TakenUpTo == nil {
		return nil
	}
	return &catalog.FreeStock{TakenUpTo: *m.TakenUpTo}
}

// currencyOf returns the currency of the prices in a list, or "" if it is not known.
func (m *Meta) currencyOf(list string) string {
	for _, c := range m.Currencies {
		if c.List == list {
			return c.Currency
		}
	}
	return ""
}

// metaEnd separates a Meta from its item. Compact JSON has no tab.
const metaEnd = '\t'

// AppendMapped appends a line of the format Mapped. The item must be compact JSON.
func AppendMapped(line []byte, meta Meta, item []byte) []byte {
	if meta.Part != "" || meta.Article != "" || meta.CompleteStock || meta.EmptyStock != "" || meta.TakenUpTo != nil ||
		meta.CompletePrices || meta.TakesTexts || len(meta.Currencies) > 0 || len(meta.Warnings) > 0 {
		line = append(wire.AppendJSON(line, meta), metaEnd)
	}
	return append(append(line, item...), '\n')
}

// decodeMapped decodes a line of the format Mapped. The item's Raw is without the Meta, so that it can be pushed.
func (d *Decoder[T]) decodeMapped(line []byte, start wire.Position) *Decoded[T] {
	d.meta = Meta{}
	if meta, item, found := bytes.Cut(line, []byte{metaEnd}); found {
		if err := json.Unmarshal(meta, &d.meta); err != nil {
			panic("item: a line that this program wrote is broken: " + err.Error())
		}
		line = item
	}

	if known, ok := productLine(&d.meta, line); ok && d.Lazy != nil && d.Lazy.Load() {
		return d.undecoded(line, known, start)
	}

	it := d.decodeItem(line, start)
	it.Warnings = append(it.Warnings, d.meta.Warnings...)
	return it
}

// undecoded returns the item of a line that can be decoded later, also while the decoder goes on.
func (d *Decoder[T]) undecoded(line []byte, known catalog.PushedLine, start wire.Position) *Decoded[T] {
	later := &Decoder[T]{Type: d.Type, Ignored: &Ignored{known: d.Type.members}, next: d.next, mapped: true,
		meta: d.meta}
	d.next++
	return &Decoded[T]{Item: Item{Index: later.next, Raw: line, ID: known.ID, Subject: known.ID}, Line: &known,
		decode: func() *Decoded[T] { return later.decodeItem(line, start) }}
}

// idStart is how the mapped item of a product begins.
const idStart = `{"id":"`

// productLine returns what tells the line of a product from others without decoding it. It returns false for a line
// that must be decoded: of other parts than goods and offers, with warnings, or with an escaped id.
func productLine(meta *Meta, item []byte) (line catalog.PushedLine, ok bool) {
	rest, found := bytes.CutPrefix(item, []byte(idStart))
	id, _, isText := bytes.Cut(rest, []byte{'"'})
	if !found || !isText || bytes.IndexByte(id, '\\') >= 0 || len(item) > LargeBytes || len(meta.Warnings) > 0 ||
		meta.Part != catalog.GoodsPart && meta.Part != catalog.OffersPart {
		return line, false
	}

	// EmptyStock, and up to which order quantities are free, are no content: see digestProduct.
	b := make(digestWriter, 0, len(item)+128)
	b.text(string(meta.Part))
	b.text(meta.Article)
	if b.present(meta.Barcodes != nil) {
		b.text(string(*meta.Barcodes))
	}
	b.present(meta.CompleteStock)
	b.present(meta.TakenUpTo != nil)
	b.headings(meta.Headings)
	b.completePrices(meta.CompletePrices)
	b.currencies(meta.Currencies)
	b = append(b, item...)

	return catalog.PushedLine{ID: string(id), Part: meta.Part, Digest: hashContent(b),
		HasListPrices: bytes.Contains(item, []byte(`"prices":`))}, true
}
