package change

import (
	"bytes"
	"context"
	"encoding/binary"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
	"vitrine/internal/shop/store"
)

// PageSize is how many ids of products, and how many of categories, a page has at most.
const PageSize = 1000

// thingID is the id of a product or a category.
type thingID = id.Of[any]

// stage says which ids of products come next.
type stage byte

const (
	byKey     stage = iota // of products that exist, by their keys
	deletions              // of deleted products, by version and id
	ended
)

// numbered is a position among ids that are sorted by version and id.
type numbered struct {
	Version int64
	ID      thingID
}

// Cursor is where the next page of changes begins. The versions stay the same from page to page: what changes while a
// client reads is told after UpTo.
type Cursor struct {
	Since, UpTo int64

	stage            stage
	afterKey         int64
	afterDeleted     numbered
	afterCategory    numbered
	categoriesEnded  bool
	products, places int64 // the counts of products and of categories
}

// cursorLayout is the binary form of a Cursor.
type cursorLayout struct {
	Since, UpTo, AfterKey, Products, Places int64
	AfterDeleted, AfterCategory             struct {
		Version int64
		ID      [16]byte
	}
	Stage           byte
	CategoriesEnded bool
}

// CursorLength is the length of an encoded cursor.
var CursorLength = binary.Size(cursorLayout{})

// Encode returns the cursor as CursorLength bytes.
func (c *Cursor) Encode() []byte {
	l := cursorLayout{Since: c.Since, UpTo: c.UpTo, AfterKey: c.afterKey, Products: c.products, Places: c.places,
		Stage: byte(c.stage), CategoriesEnded: c.categoriesEnded}
	l.AfterDeleted.Version, l.AfterDeleted.ID = c.afterDeleted.Version, c.afterDeleted.ID.Bytes()
	l.AfterCategory.Version, l.AfterCategory.ID = c.afterCategory.Version, c.afterCategory.ID.Bytes()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.BigEndian, l); err != nil {
		panic("change: " + err.Error()) // the layout has a fixed size
	}
	return b.Bytes()
}

// DecodeCursor is the opposite of Encode.
func DecodeCursor(b []byte) (c Cursor, ok bool) {
	var l cursorLayout
	if len(b) != CursorLength || binary.Read(bytes.NewReader(b), binary.BigEndian, &l) != nil {
		return Cursor{}, false
	}
	return Cursor{Since: l.Since, UpTo: l.UpTo, stage: stage(l.Stage), afterKey: l.AfterKey,
		afterDeleted:    numbered{l.AfterDeleted.Version, l.AfterDeleted.ID},
		afterCategory:   numbered{l.AfterCategory.Version, l.AfterCategory.ID},
		categoriesEnded: l.CategoriesEnded, products: l.Products, places: l.Places}, true
}

// errExpired is the fault for a version since which changes are not known.
func errExpired() error {
	return fault.New(fault.Gone, "version_expired",
		"The changes since this version are not known any more, or the database was restored to an earlier state. "+
			"Read the catalogue again, and go on from the version of GET /v2/changes?since=0, which lists all of it.")
}

// Present returns the present version of a store.
func Present(ctx context.Context, tx store.Tx) (version int64, err error) {
	defer fault.AddContext(&err, "read the version of the catalogue")
	st, err := readState(ctx, tx)
	return st.version, err
}

// Since returns the first page of what changed since a version, and the cursor of the next page, or nil. The version 0
// is that of an empty catalogue. Since returns fault.Gone if the changes are not kept any more. The transaction is a
// snapshot.
func Since(ctx context.Context, tx store.Tx, version int64) (payload.CatalogChange, *Cursor, error) {
	return readPage(ctx, tx, Cursor{Since: version}, true)
}

// Next returns another page.
func Next(ctx context.Context, tx store.Tx, c Cursor) (payload.CatalogChange, *Cursor, error) {
	return readPage(ctx, tx, c, false)
}

func readPage(
	ctx context.Context, tx store.Tx, c Cursor, first bool,
) (page payload.CatalogChange, following *Cursor, err error) {
	defer fault.AddContext(&err, "list the changes since version %d", c.Since)

	st, err := readState(ctx, tx)
	if err != nil {
		return page, nil, err
	}
	if c.Since > st.version || c.UpTo > st.version || c.Since > 0 && c.Since < st.floor {
		return page, nil, errExpired()
	}

	r := reader{tx: tx, Cursor: c, whole: c.Since < st.whole || c.Since == 0}
	if first {
		r.UpTo = st.version
		if err := r.count(ctx); err != nil {
			return page, nil, err
		}
	}

	products, err := r.nextProducts(ctx)
	if err != nil {
		return page, nil, err
	}
	categories, err := r.nextCategories(ctx)
	if err != nil {
		return page, nil, err
	}

	page = payload.CatalogChange{Version: r.UpTo,
		Products:   payload.ChangedThings{Count: r.products, IDs: idsOf(products), More: r.stage != ended},
		Categories: payload.ChangedThings{Count: r.places, IDs: idsOf(categories), More: !r.categoriesEnded},
		PricesOnly: r.products > 0 && !r.whole && c.Since >= st.content}
	page.Tags = tagsOf(products, categories, r.UpTo > c.Since)

	if r.stage != ended || !r.categoriesEnded {
		following = &r.Cursor
	}
	return page, following, nil
}

// tagsOf returns the tags of the responses that show the things. If the version is new, the tag of lists is among them
// even if there are no things: features and options may have changed that no product shows.
func tagsOf(products, categories []thingID, isNew bool) []string {
	tags := make([]string, 0, len(products)+len(categories)+1)
	for _, productID := range products {
		tags = append(tags, string(AppendProductTag(nil, productID)))
	}
	for _, categoryID := range categories {
		tags = append(tags, string(AppendCategoryTag(nil, categoryID)))
	}
	if isNew {
		tags = append(tags, ListTag)
	}
	return tags
}

func idsOf(list []thingID) []schema.ID {
	ids := make([]schema.ID, len(list))
	for i, thing := range list {
		ids[i] = schema.ID(thing)
	}
	return ids
}

// reader reads the changes after its cursor.
type reader struct {
	tx store.Tx
	Cursor
	whole bool // any product may have changed since the version
}

// fresh reports whether the client knows nothing yet, so that deleted things are of no interest.
func (r *reader) fresh() bool { return r.Since == 0 }

// nextProducts returns the next ids of products, and moves the cursor behind them.
func (r *reader) nextProducts(ctx context.Context) (ids []thingID, err error) {
	if r.stage == byKey {
		if ids, err = r.productsByKey(ctx); err != nil {
			return nil, err
		}
		if r.stage == deletions && r.fresh() {
			r.stage = ended
		}
	}
	if r.stage != deletions {
		return ids, nil
	}

	gone, more, err := r.deletedProducts(ctx, PageSize-len(ids))
	if !more {
		r.stage = ended
	}
	return append(ids, gone...), err
}

// nextCategories returns the next ids of categories, and moves the cursor behind them.
func (r *reader) nextCategories(ctx context.Context) (ids []thingID, err error) {
	if r.categoriesEnded {
		return nil, nil
	}
	ids, more, err := r.changedCategories(ctx)
	r.categoriesEnded = !more
	return ids, err
}
