package catalog

// ProductPush is what accounting says of a product, by its own ids. Members that are nil stay as they are; a list is the full list.
type ProductPush struct {
	ID          string
	Digest      Digest
	Name        *string
	Description *string
	Categories  *[]string
	Features    *[]ReferencePush
	Modifiers   *string // as ReadModifiers gives them
	Images      *ImagesPush
	// Single says that the product has one variant, which is the only element of Variants and has no ID.
	Single   bool
	Variants *[]VariantPush
	// Origin is where a download that fails is reported; it is no part of what is said.
	Origin Origin `json:"-"`
}

// VariantPush is what accounting says of a variant.
type VariantPush struct {
	ID         string
	Name       *string
	SKU        *string
	Price      *Money
	Options    *[]ReferencePush
	Remainders *[]StockedPush
}

// StockedPush says how many of a variant a stock has.
type StockedPush struct {
	Stock    string
	Quantity Quantity
}

// Origin is an item of a run.
type Origin struct {
	RunKey int64
	Item   int64
}

func (p ProductPush) categories() []string      { return orEmpty(p.Categories) }
func (p ProductPush) features() []ReferencePush { return orEmpty(p.Features) }
func (p ProductPush) variants() []VariantPush   { return orEmpty(p.Variants) }

// variantMember is the place of a member of the i-th variant: of a single one it is a member of the product itself.
func (p ProductPush) variantMember(i int, name string) string {
	if p.Single {
		return "variant_" + name
	}
	return fieldPath("").element("variants", i).member(name)
}

// matchPushedVariants finds the variants that a push speaks of: those with the ids that were sent, archived ones too. A product goes from one variant
// to many and back without losing it: so a variant that has no id of accounting's is the one with its sku, else the only one.
func matchPushedVariants(stored []storedVariant, single bool, sent []VariantPush) []*storedVariant {
	matched := make([]*storedVariant, len(sent))
	if single {
		matched[0] = matchSingleVariant(stored, sent[0].SKU)
		return matched
	}
	byID := make(map[string]*storedVariant, len(stored))
	var withoutID []*storedVariant
	live := 0
	for i := range stored {
		v := &stored[i]
		if v.live() {
			live++
		}
		switch {
		case v.ExternalID != nil:
			byID[*v.ExternalID] = v
		case v.live():
			withoutID = append(withoutID, v)
		}
	}
	for i, v := range sent {
		matched[i] = byID[v.ID]
	}
	for i, v := range sent {
		if matched[i] == nil && v.SKU != nil {
			matched[i] = takeBySKU(&withoutID, *v.SKU)
		}
	}
	if live != 1 || len(withoutID) != 1 {
		return matched
	}
	for i := range sent {
		if matched[i] == nil {
			matched[i] = withoutID[0]
			break
		}
	}
	return matched
}

// takeBySKU takes the variant with a sku out of a list; nil if there is none.
func takeBySKU(list *[]*storedVariant, sku string) *storedVariant {
	for i, v := range *list {
		if sku != "" && v.SKU == sku {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return v
		}
	}
	return nil
}

// matchSingleVariant finds the variant that a product with a single one keeps: in the shop if there is any, else of those that were taken out.
func matchSingleVariant(stored []storedVariant, sku *string) *storedVariant {
	var live, all []*storedVariant
	for i := range stored {
		all = append(all, &stored[i])
		if stored[i].live() {
			live = append(live, &stored[i])
		}
	}
	from := live
	if len(live) == 0 {
		from = all
	}
	if sku != nil {
		if v := takeBySKU(&from, *sku); v != nil {
			return v
		}
	}
	if len(from) == 1 {
		return from[0]
	}
	return nil
}
