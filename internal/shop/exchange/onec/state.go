package onec

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// maxExampleBytes limits an item that is kept as an example.
	maxExampleBytes = 4 << 10
	// pictureBatch is the number of images whose digests are stored together, maxKnownPictures that of those that are
	// held while a file is mapped.
	pictureBatch     = 500
	maxKnownPictures = 100_000
	// digestBytes is what a digest takes that is held.
	digestBytes = 128
	// pictureCost is what unpacking an image costs besides its bytes, counted like bytes.
	pictureCost = 4 << 10
	// missingArchiveShare is the largest share of a catalogue's goods that are archived because they are missing, and
	// of its offers.
	missingArchiveShare = 0.2
	// maxNotKept limits what a report lists of things that are not kept.
	maxNotKept = 50
	// maxRequisites limits the requisites that become features, maxSettingText the characters of a setting.
	maxRequisites  = 100
	maxSettingText = 255
	// defaultPackageMinutes and maxPackageMinutes are the default and the maximum of Settings.PackageMinutes.
	defaultPackageMinutes = 30
	maxPackageMinutes     = 24 * 60
)

// What happens to products that are missing from a full catalogue of 1C.
const (
	MissingKeep    = "keep"
	MissingArchive = "archive"
)

// What a price of 0 means that 1C sends.
const (
	ZeroPriceNone = "none"
	ZeroPriceFree = "free"
)

// From which name of a good the name of its product is taken.
const (
	NameFromName     = "name"
	NameFromFullName = "full_name"
)

// Settings are the settings of the exchange with 1C.
type Settings struct {
	// PriceType is the id or name of the price type whose prices are taken; empty means the default of
	// commerceml.Memory.BasePriceType.
	PriceType string `json:"price_type"`
	// ZeroPrice is ZeroPriceNone or ZeroPriceFree.
	ZeroPrice string `json:"zero_price,omitzero"`
	// NameFrom is NameFromName or NameFromFullName.
	NameFrom string `json:"name_from,omitzero"`
	// Missing is MissingKeep or MissingArchive.
	Missing string `json:"missing"`
	// Requisites are the names of the requisites that become features; nil means the manufacturer alone.
	Requisites []string `json:"requisites"`
	// StockIsFree says that 1C sends stock without the goods of orders that it has taken; nil means true.
	StockIsFree *bool `json:"stock_is_free,omitzero"`
	// States are the states of the shop's orders by the names that they have in 1C, beside DefaultStateNames.
	States map[string]order.State `json:"states,omitzero"`
	// PackageMinutes is how long nothing of a catalogue must come until a full package of it counts as complete; 0
	// means defaultPackageMinutes.
	PackageMinutes int64 `json:"package_minutes,omitzero"`
	// PricesChangedAt and GoodsChangedAt are when settings were changed that the next full exchange of offers, or of
	// goods, applies to what came before.
	PricesChangedAt time.Time `json:"prices_changed_at,omitzero"`
	GoodsChangedAt  time.Time `json:"goods_changed_at,omitzero"`
}

// Edit is an edit of Settings. Nil members stay as they are.
type Edit struct {
	PriceType, ZeroPrice, NameFrom, Missing *string
	Requisites                              *[]string
	StockIsFree                             *bool
	PackageMinutes                          *int64
	// States replaces all states that the store has chosen.
	States *map[string]string
}

// Report is what the last exchange had, to choose settings by it.
type Report struct {
	At         time.Time              `json:"at,omitzero"`
	PriceTypes []commerceml.PriceType `json:"price_types,omitempty"`
	Requisites []string               `json:"requisites,omitempty"`
	// Examples are items of the gate, by their entity and part.
	Examples map[string]string `json:"examples,omitempty"`
	// NotKept is what the files of the last exchange, with the key Session, had and the store has no place for.
	NotKept []commerceml.NotKept `json:"not_kept,omitempty"`
	Session int64                `json:"session,omitzero"`
	// FullGoodsAt and FullOffersAt are when the last full catalogue, and the last full packet of offers, were read.
	FullGoodsAt  time.Time `json:"full_goods_at,omitzero"`
	FullOffersAt time.Time `json:"full_offers_at,omitzero"`
}

// NeedsFullExchange reports whether settings were changed since, so that 1C must send all goods once more.
func (r *Report) NeedsFullExchange(o Settings) bool {
	return !r.At.IsZero() &&
		(o.PricesChangedAt.After(r.FullOffersAt) || o.GoodsChangedAt.After(r.FullGoodsAt))
}

// add adds what a file of an exchange had.
func (r *Report) add(summary commerceml.Summary, session int64, now time.Time) {
	if r.Session != session {
		r.Session = session
		r.NotKept = nil
	}

	for _, n := range summary.NotKept {
		i := slices.IndexFunc(r.NotKept, func(known commerceml.NotKept) bool { return known.What == n.What })
		switch {
		case i >= 0:
			r.NotKept[i].Count += n.Count
		case len(r.NotKept) < maxNotKept:
			r.NotKept = append(r.NotKept, n)
		}
	}

	for _, p := range summary.Packets {
		switch {
		case p.IsFull && p.HasOffers:
			r.FullOffersAt = now
		case p.IsFull:
			r.FullGoodsAt = now
		}
	}
}

// OneC returns the settings of the exchange with 1C and what the last exchange had.
func (s *Service) Settings(ctx context.Context, tx store.Tx) (_ Settings, _ Report, err error) {
	defer fault.AddContext(&err, "read the settings of 1C of store %s", tx.StoreID())
	state, err := selectStoreState(ctx, tx)
	return state.settings.withDefaults(), state.report, err
}

func (o Settings) withDefaults() Settings {
	if o.Missing == "" {
		o.Missing = MissingKeep
	}
	if o.ZeroPrice == "" {
		o.ZeroPrice = ZeroPriceNone
	}
	if o.NameFrom == "" {
		o.NameFrom = NameFromName
	}
	if o.Requisites == nil {
		o.Requisites = []string{commerceml.Manufacturer}
	}
	if o.States == nil {
		o.States = map[string]order.State{}
	}
	if o.PackageMinutes == 0 {
		o.PackageMinutes = defaultPackageMinutes
	}

	o.StockIsFree = new(o.hasFreeStock())
	return o
}

// hasFreeStock returns StockIsFree or its default.
func (o Settings) hasFreeStock() bool { return o.StockIsFree == nil || *o.StockIsFree }

// Edit changes the settings of the exchange with 1C, and returns them with the changes for the log. It returns
// fault.Invalid for the fields commerceml.….
func (s *Service) Edit(
	ctx context.Context, tx store.Tx, e Edit,
) (_ Settings, changes []audit.Change, err error) {
	defer fault.AddContext(&err, "edit the settings of 1C of store %s", tx.StoreID())

	state, err := selectStoreState(ctx, tx)
	if err != nil {
		return Settings{}, nil, err
	}

	before := state.settings.withDefaults()
	next, err := e.apply(before, state.report.PriceTypes)
	if err != nil {
		return next, nil, err
	}

	for _, f := range []audit.Change{
		{Field: "commerceml.price_type", From: before.PriceType, To: next.PriceType},
		{Field: "commerceml.zero_price", From: before.ZeroPrice, To: next.ZeroPrice},
		{Field: "commerceml.name_from", From: before.NameFrom, To: next.NameFrom},
		{Field: "commerceml.missing", From: before.Missing, To: next.Missing},
		{Field: "commerceml.package_minutes", From: strconv.FormatInt(before.PackageMinutes, 10),
			To: strconv.FormatInt(next.PackageMinutes, 10)},
		{Field: "commerceml.requisites", From: strings.Join(before.Requisites, ", "),
			To: strings.Join(next.Requisites, ", ")},
		{Field: "commerceml.states", From: statesText(before.States), To: statesText(next.States)},
		{Field: "commerceml.stock_is_free", From: strconv.FormatBool(before.hasFreeStock()),
			To: strconv.FormatBool(next.hasFreeStock())},
	} {
		if f.From != f.To {
			changes = append(changes, f)
		}
	}

	if len(changes) == 0 {
		return next, nil, nil
	}
	for _, change := range changes {
		switch change.Field {
		case "commerceml.price_type", "commerceml.zero_price":
			next.PricesChangedAt = s.now()
		case "commerceml.name_from", "commerceml.requisites":
			next.GoodsChangedAt = s.now()
		}
	}

	if err := insertStoreState(ctx, tx); err != nil {
		return next, nil, err
	}

	return next, changes, setStoreSettings(ctx, tx, next)
}

// apply returns the settings after the edit. types are the price types that 1C has sent.
func (e Edit) apply(o Settings, types []commerceml.PriceType) (Settings, error) {
	var wrong []fault.Field
	if e.PriceType != nil {
		was := o.PriceType
		o.PriceType = strings.TrimSpace(*e.PriceType)
		if broken := checkPriceType(o.PriceType, was, types); broken != nil {
			wrong = append(wrong, *broken)
		}
	}

	if e.ZeroPrice != nil {
		if o.ZeroPrice = *e.ZeroPrice; o.ZeroPrice != ZeroPriceNone && o.ZeroPrice != ZeroPriceFree {
			wrong = append(wrong, fault.NewField("commerceml.zero_price", "unknown_value",
				"Use none, which is the default, or free."))
		}
	}

	if e.NameFrom != nil {
		if o.NameFrom = *e.NameFrom; o.NameFrom != NameFromName && o.NameFrom != NameFromFullName {
			wrong = append(wrong, fault.NewField("commerceml.name_from", "unknown_value",
				"Use name, which is the default, or full_name."))
		}
	}

	if e.PackageMinutes != nil {
		if o.PackageMinutes = *e.PackageMinutes; o.PackageMinutes < 1 || o.PackageMinutes > maxPackageMinutes {
			wrong = append(wrong, fault.NewField("commerceml.package_minutes", "out_of_range",
				"Use a whole number of minutes from 1 to %d.", maxPackageMinutes))
		}
	}

	if e.Missing != nil {
		if o.Missing = *e.Missing; o.Missing != MissingKeep && o.Missing != MissingArchive {
			wrong = append(wrong, fault.NewField("commerceml.missing", "unknown_value",
				"Use keep, which is the default, or archive."))
		}
	}

	if e.StockIsFree != nil {
		o.StockIsFree = e.StockIsFree
	}

	if e.States != nil {
		states, wrongStates := checkStates(*e.States)
		o.States = states
		wrong = append(wrong, wrongStates...)
	}

	if e.Requisites != nil {
		o.Requisites = []string{}
		for _, name := range *e.Requisites {
			name = strings.Join(strings.Fields(name), " ")
			if name != "" && !slices.ContainsFunc(o.Requisites,
				func(r string) bool { return strings.EqualFold(r, name) }) {
				o.Requisites = append(o.Requisites, name)
			}

			if len([]rune(name)) > maxSettingText {
				wrong = append(wrong, fault.NewField("commerceml.requisites", "too_long",
					"The name of a requisite has at most %d characters.", maxSettingText))
			}
		}

		if len(o.Requisites) > maxRequisites {
			wrong = append(wrong, fault.NewField("commerceml.requisites", "too_many",
				"At most %d requisites can become features.", maxRequisites))
		}
	}

	return o, fault.Fields(wrong)
}

// checkPriceType returns the rule that a chosen price type breaks, or nil. Until 1C has sent price types, any text may
// be chosen. What is set already may stay: 1C may send it again.
func checkPriceType(chosen, was string, types []commerceml.PriceType) *fault.Field {
	if len([]rune(chosen)) > maxSettingText {
		return new(fault.NewField("commerceml.price_type", "too_long", "At most %d characters are allowed here.",
			maxSettingText))
	}
	if chosen == "" || chosen == was || len(types) == 0 {
		return nil
	}

	memory := commerceml.Memory{PriceTypes: types}
	if _, known := memory.BasePriceType(chosen, ""); known {
		return nil
	}
	return new(fault.NewField("commerceml.price_type", "unknown_price_type",
		"No such price type has come from 1C; it has sent: %s.", memory.PriceTypeNames()))
}

// saveState stores what the file tells later ones.
func (m *fileMapping) saveState(ctx context.Context, tx store.Tx) error {
	state, err := selectStoreState(ctx, tx)
	if err != nil {
		return err
	}

	r := state.report
	r.At = m.s.now()
	r.PriceTypes = m.memory.PriceTypes
	if len(m.summary.Requisites) > 0 {
		r.Requisites = m.summary.Requisites
	}

	r.add(m.summary, m.session.Key, r.At)
	if r.Examples == nil {
		r.Examples = map[string]string{}
	}

	maps.Copy(r.Examples, m.examples)
	if err := setStoreMemory(ctx, tx, m.memory, r); err != nil {
		return err
	}

	return m.savePackages(ctx, tx)
}

// fileKind returns what the names of files of one kind have in common: the folder and the letters at the beginning
// of the name, such as import of import0_1.xml. It is in lower case.
func fileKind(name string) string {
	dir, base := path.Split(strings.ToLower(name))
	if i := strings.IndexFunc(base, func(r rune) bool { return r < 'a' || r > 'z' }); i >= 0 {
		base = base[:i]
	}
	return dir + base
}

// savePictures stores the digests of the images that the package has, if there are at least so many.
func (m *fileMapping) savePictures(ctx context.Context, least int) error {
	if len(m.changed) < least {
		return nil
	}
	err := m.s.write(ctx, func(q querier) error {
		return upsertPictures(ctx, store.In(q, m.storeID), m.session.Key, m.changed)
	})
	clear(m.changed)
	return err
}

// prunePictures deletes what is remembered of images whose package is deleted and that no product has.
func (s *Service) prunePictures(ctx context.Context) error {
	var after gonePicture
	for {
		list, err := database.Read(ctx, s.DB, func(q querier) ([]gonePicture, error) {
			return gonePictures(ctx, q, after, pruneLimit)
		})
		if err != nil || len(list) == 0 {
			return err
		}
		err = s.DB.WriteAlone(ctx, func(q querier) error { return deleteUnusedPictures(ctx, q, list) })
		if err != nil {
			return err
		}
		after = list[len(list)-1]
	}
}

// PackagePicture returns the bytes of an image that 1C has sent in a package. The address begins with
// catalog.PackagePicture.
func (s *Service) PackagePicture(ctx context.Context, storeID store.ID, address string) (_ []byte, err error) {
	defer fault.AddContext(&err, "read an image of 1C of store %s", storeID)

	digest, err := hex.DecodeString(strings.TrimPrefix(address, catalog.PackagePicture))
	if err != nil {
		return nil, errNoPicture()
	}

	var name string
	var session int64
	err = s.DB.Read(ctx, func(q querier) (err error) {
		name, session, err = pictureByDigest(ctx, store.In(q, storeID), digest)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return nil, errNoPicture()
	}

	if err != nil {
		return nil, err
	}

	p, err := s.pictures.open(ctx, s, storeID, session)
	if err != nil {
		return nil, err
	}
	content, err := p.openNamed(name)
	if errors.Is(err, errNoEntry) {
		return nil, errNoPicture()
	}
	if err != nil {
		return nil, err
	}
	defer content.Close() // it was only read

	return io.ReadAll(io.LimitReader(content, imagefile.MaxBytes+1))
}

// PackagePath returns the path of an image that 1C has sent in a package, or the address itself if it is not known. The
// address begins with catalog.PackagePicture.
func (s *Service) PackagePath(ctx context.Context, tx store.Tx, address string) (string, error) {
	digest, err := hex.DecodeString(strings.TrimPrefix(address, catalog.PackagePicture))
	if err != nil {
		return address, nil //nolint:nilerr // such an address is in no package
	}
	name, _, err := pictureByDigest(ctx, tx, digest)
	if errors.Is(err, database.ErrNoRows) {
		return address, nil
	}
	return name, err
}

func errNoPicture() error {
	return fault.New(fault.NotFound, "picture_gone",
		"The package that has this image is not there any more; 1C must send it again.")
}
