package commerceml

import (
	"io"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
)

// The entities of the gate to which a file is mapped, in the order in which they are pushed: what products refer to
// comes before them.
const (
	Categories     = "categories"
	Features       = "features"
	VariantOptions = "variant-options"
	Stocks         = "stocks"
	PriceLists     = "price-lists"
	Products       = "products"
	Prices         = "prices"
	Remainders     = "remainders"
)

// Entities returns the entities in the order in which they are pushed.
func Entities() []string {
	return []string{Categories, Features, VariantOptions, Stocks, PriceLists, Products, Prices, Remainders}
}

// The parts of a product that an item of Products is about.
const (
	// Goods is all of a product but its variants. Offers adds and updates variants, and leaves the others alone.
	Goods  = "goods"
	Offers = "offers"
	// Withdrawn archives the variants that it names.
	Withdrawn = "withdrawn"
	// Archive archives the product.
	Archive = "archive"
	// Seen changes nothing. It is for warnings about what became no item.
	Seen = "seen"
)

// Manufacturer is the name of the element that becomes a feature like a requisite, if it is among Options.Requisites.
const Manufacturer = "Изготовитель"

// TotalStock is the external id, and so the name, of the stock that has the quantities that come without a warehouse.
const TotalStock = "Основной склад"

// Options say how a file is mapped.
type Options struct {
	// PriceType is the id or the name of the price type whose prices are taken; empty means the default of
	// Memory.BasePriceType.
	PriceType string
	// Currency is the ISO 4217 code of the store's currency. Prices in others are left out. Empty accepts all.
	Currency string
	// ZeroIsFree says that a price of 0 means that a good is free, and not that it has no price.
	ZeroIsFree bool
	// UsesFullName says that the name of a product is the full name of its good, if the good has one.
	UsesFullName bool
	// Requisites are the names of the requisites that become features.
	Requisites []string
	// HasQuantities returns what the function HasQuantities says of the file: then an offer without a quantity has none
	// left. It is called once, before the first offer is mapped. Nil means false.
	HasQuantities func() (bool, error) `json:"-"`
	// KeepsStock says that the exchange sends quantities, in this file or in others. Variants that this file adds
	// without a quantity then have none until one comes. It is also so if an earlier file has had quantities.
	KeepsStock bool
	// PriceLists says that the price types become price lists.
	PriceLists bool
	// Room counts the memory that the file takes. It may be nil.
	Room *Room `json:"-"`
	// Recorder, if not nil, records the mapping for Replay.
	Recorder *Recorder `json:"-"`
}

// Item is one item of the gate.
type Item struct {
	Entity string `json:"entity"`
	// JSON is the item in the form in which it is pushed. It is valid until the function that gets it returns.
	JSON []byte `json:"-"`
	// Part is the part of a product that the item is about; empty for other entities.
	Part string `json:"part,omitzero"`
	// Article is the good's own article, which variants without one take over.
	Article string `json:"article,omitzero"`
	// Barcodes are the good's own barcodes, for its variant if it has only one; nil if the good says nothing of them.
	Barcodes *catalog.Barcodes `json:"barcodes,omitzero"`
	Warnings []fault.Field     `json:"warnings,omitzero"`
	// Headings are the names of the properties whose long texts the description may have from an earlier import, if the
	// good has no description and no long text now.
	Headings []string `json:"headings,omitzero"`
	// CompleteStock says that a variant of the item has nothing in stocks that the item does not list. An item of
	// Remainders lists its own stock and ListedStocks.
	CompleteStock bool     `json:"complete_stock,omitzero"`
	ListedStocks  []string `json:"listed_stocks,omitzero"`
	// CompletePrices says that a variant of the item has no other prices in a list than those that the item lists, if
	// it lists some. An item of Prices lists its own price and those from the quantities ListedSteps on.
	CompletePrices bool             `json:"complete_prices,omitzero"`
	ListedSteps    []money.Quantity `json:"listed_steps,omitzero"`
	// Currencies are the currencies of the prices in price lists, as far as they are known: the list may have another
	// one by now, and such prices do not belong into it.
	Currencies []catalog.ListCurrency `json:"currencies,omitzero"`
	// TakesTexts says that values of the item have ids, and may have come as texts before.
	TakesTexts bool `json:"takes_texts,omitzero"`
	// EmptyStock, if not empty, is the stock in which a variant that the item adds without remainders has 0.
	EmptyStock string `json:"empty_stock,omitzero"`
}

// Target is where a file is mapped to.
type Target struct {
	// Item takes the items, in the order of the file. Those of an entity are pushed in this order.
	Item func(Item) error
	// Picture returns the address of an image inside the package, or "" if the package does not have it.
	Picture func(path string) (string, error)
	// Listed, if not nil, is called with each good and each offer that is not marked for deletion.
	Listed func(Listed) error
	// Property, if not nil, returns the name of a property of an earlier file and the text of one of its values; value
	// may be empty. Both results are "" if they are not known.
	Property func(property, value string) (name, text string, err error)
}

// Listed is a good or an offer that a file has.
type Listed struct {
	Packet
	// Good is the id of the good, and Offer the id of the offer; it is empty for the good itself.
	Good, Offer string
}

// Packet is a catalogue, or a packet of offers, of a file.
type Packet struct {
	// Catalog is the id of the catalogue, to which the offers belong.
	Catalog string
	// IsFull says that the packet has all goods or offers of the catalogue, or begins with the first portion of them.
	IsFull bool
	// HasOffers tells a packet of offers from a catalogue of goods.
	HasOffers bool
}

// Summary says what a file had.
type Summary struct {
	Goods, Offers int64
	// Packets are the catalogues and packets of offers that are full or not empty, each once, at most maxListed.
	Packets []Packet
	// TooManyCatalogs means that the file has more than MaxCatalogs. Target.Listed was not called for the goods of
	// others.
	TooManyCatalogs bool
	// Requisites are the names of the requisites that goods had, in their order, at most maxListed.
	Requisites []string
	// NotKept is what the file had and the store has no place for, at most maxListed, the most frequent first.
	NotKept []NotKept
}

// maxListed limits the lists of Summary and the price types that are remembered.
const maxListed = 200

// MaxCatalogs is the number of catalogues of a file whose goods and offers are passed to Target.Listed.
const MaxCatalogs = 200

type converter struct {
	options    Options
	requisites map[string]string // names of Options.Requisites, by normalized name
	memory     *Memory
	target     Target
	summary    Summary
	features   collector
	variants   collector // variant options
	dictionary dictionary
	group      offerGroup
	packet     packetReader
	catalogs   map[string]bool // whose goods or offers were passed to Target.Listed
	stocks     map[string]bool // that were named in this file
	quantities fileQuantities
	base       *PriceType           // see basePriceType; nil if it must be looked for
	lists      map[string]priceList // see priceLists; nil if they must be looked for
	prices     priceStatistics
	notKept    notKeptCounter
	known      map[string]knownProperty // see converter.property
	properties int                      // of this file
	room       *Room
	line       []byte
	// next are warnings about what becomes no item. The next item has them. once has the codes of those that come once.
	next []fault.Field
	once map[string]bool
}

// Convert maps a file to items of the gate. The content of the file decides what it is, not its name. It reads what
// earlier files of the store have told from memory, and adds what this one tells. It returns fault.Malformed if the
// file cannot be read, and the faults of Room.Take; items that it has yielded until then must be dropped, like the
// changes to memory.
func Convert(file io.Reader, options Options, memory *Memory, target Target) (Summary, error) {
	room := options.Room.orDefault()
	memory.bound()
	if options.Recorder != nil {
		memory.recorder = options.Recorder
		defer func() { memory.recorder = nil }()
		target = options.Recorder.around(target)
	}

	c := &converter{options: options, memory: memory, target: target, requisites: map[string]string{},
		stocks: map[string]bool{}, room: room, dictionary: dictionary{room: room}, once: map[string]bool{},
		catalogs: map[string]bool{}, known: map[string]knownProperty{}}
	c.features = newCollector(Features, room, c.pass)
	c.variants = newCollector(VariantOptions, room, c.pass)

	for _, name := range options.Requisites {
		c.requisites[normalize(name)] = foldSpaces(name)
	}

	err := readDocument(file, room, func(r *reader, start startTag) error {
		switch start.name {
		case "Классификатор":
			return c.classifier(r, start)
		case "Каталог":
			return c.catalog(r, start)
		case "ПакетПредложений", "ИзмененияПакетаПредложений":
			return c.offers(r, start)
		}

		c.notKept.add(start.name)
		return r.skip()
	})
	c.summary.NotKept = c.notKept.list()
	if err != nil {
		return c.summary, err
	}

	if err := c.warnOfPrices(); err != nil {
		return c.summary, err
	}
	if err := c.features.flush(); err != nil {
		return c.summary, err
	}
	if err := c.variants.flush(); err != nil {
		return c.summary, err
	}

	if options.Recorder != nil {
		options.Recorder.add(summaryLine, c.summary)
	}
	return c.summary, nil
}

// emit passes an item on. Its JSON is c.line.
func (c *converter) emit(item Item) error {
	item.JSON = c.line
	copies := itemCopies * int64(len(c.line))
	if err := c.room.Take(copies); err != nil {
		return err
	}
	err := c.pass(item)
	c.room.Free(copies)
	if cap(c.line) > maxLineBuffer {
		c.line = nil
	}
	return err
}

const (
	// itemCopies is how often an item is held besides the elements that it was made of: here and by Target.Item.
	itemCopies = 2
	// maxLineBuffer limits the buffer of an item that is used for the next one.
	maxLineBuffer = 256 << 10
)

// pass passes an item on, with the warnings that wait for one.
func (c *converter) pass(item Item) error {
	if len(c.next) > 0 {
		item.Warnings = slices.Concat(c.next, item.Warnings)
		c.next = nil
	}
	return c.target.Item(item)
}

// warnNext adds a warning to the next item.
func (c *converter) warnNext(field, code, format string, args ...any) {
	warn(&c.next, field, code, format, args...)
}

// warnOnce adds a warning to the next item, unless one with this code was added before.
func (c *converter) warnOnce(code, format string, args ...any) {
	if !c.once[code] {
		c.once[code] = true
		c.warnNext("", code, format, args...)
	}
}

// maxWarnings limits the warnings of an item.
const maxWarnings = 100

// warn appends a warning.
func warn(list *[]fault.Field, field, code, format string, args ...any) {
	if len(*list) >= maxWarnings {
		return
	}
	*list = append(*list, fault.NewField(field, code, format, args...))
}

// noteRequisite adds the name of a requisite to the summary.
func (c *converter) noteRequisite(name string) {
	name = shorten(name)
	if len(c.summary.Requisites) < maxListed && !slices.Contains(c.summary.Requisites, name) {
		c.summary.Requisites = append(c.summary.Requisites, name)
	}
}
