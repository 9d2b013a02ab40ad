package catalog

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// maxLoggedNames is the number of values that an entry of the log names.
const maxLoggedNames = 10

// maxLoggedChanges is the number of changed members that an entry of the log has.
const maxLoggedChanges = 100

// firstNames returns the first names of a list as the text of a change.
func firstNames(names []string) string {
	if len(names) > maxLoggedNames {
		return strings.Join(names[:maxLoggedNames], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// entry returns what the log says about a change of the category.
func (c *Category) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "category", ID: c.ID.String(), Label: c.Name},
		Changes: changes}
}

// recordEdit records an edit of the category, unless it changed nothing.
func (c *Category) recordEdit(ctx context.Context, tx store.Tx, was *Category) error {
	if _, _, recorded := tx.Author(); !recorded {
		return nil
	}

	changes := audit.AppendChange(nil, "name", was.Name, c.Name)
	changes = audit.AppendOptional(changes, "external_id", was.ExternalID, c.ExternalID)
	changes = audit.AppendChange(changes, "description", was.Description, c.Description)
	if was.imageID() != c.imageID() {
		changes = append(changes, audit.Change{Field: "image"})
	}
	changes = audit.AppendChange(changes, "slug", string(was.Slug), string(c.Slug))
	if was.SEO != c.SEO {
		changes = append(changes, audit.Change{Field: "seo"})
	}

	moved := !write.EqualKeys(was.parentKey, c.parentKey)
	if moved {
		from, err := parentName(ctx, tx, was.ParentID)
		if err != nil {
			return err
		}
		to, err := parentName(ctx, tx, c.ParentID)
		if err != nil {
			return err
		}

		changes = append(changes, audit.Change{Field: "parent", From: from, To: to})
	}

	switch {
	case len(changes) == 0:
		return nil
	case len(changes) == 1 && was.Name != c.Name:
		return audit.Record(ctx, tx, c.entry(audit.CategoryRenamed, changes...))
	case len(changes) == 1 && moved:
		return audit.Record(ctx, tx, c.entry(audit.CategoryMoved, changes...))
	}

	return audit.Record(ctx, tx, c.entry(audit.CategoryEdited, changes...))
}

// parentName returns the name of a category, or "" for the root.
func parentName(ctx context.Context, tx store.Tx, categoryID *CategoryID) (string, error) {
	if categoryID == nil {
		return "", nil
	}
	c, err := selectCategory(ctx, tx, *categoryID, "")
	return c.Name, err
}

// entry returns what the log says about a change of the warehouse.
func (t *Stock) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "stock", ID: t.ID.String(), Label: t.Name},
		Changes: changes}
}

// editEntry returns what the log says about an edit of the warehouse. It has no action if nothing changed.
func (t *Stock) editEntry(was *Stock) audit.Entry {
	changes := audit.AppendChange(nil, "name", was.Name, t.Name)
	changes = audit.AppendOptional(changes, "external_id", was.ExternalID, t.ExternalID)
	switch {
	case len(changes) == 0:
		return audit.Entry{}
	case len(changes) == 1 && was.Name != t.Name:
		return t.entry(audit.StockRenamed, changes...)
	}
	return t.entry(audit.StockEdited, changes...)
}

// attributeActions are the actions of the log about options or features.
type attributeActions struct{ created, renamed, edited, deleted audit.Action }

func (k Kind) actions() attributeActions {
	if k == Option {
		return attributeActions{audit.OptionCreated, audit.OptionRenamed, audit.OptionEdited, audit.OptionDeleted}
	}
	return attributeActions{audit.FeatureCreated, audit.FeatureRenamed, audit.FeatureEdited, audit.FeatureDeleted}
}

// entry returns what the log says about a change of the attribute or of its values.
func (a *Attribute) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: string(a.Kind), ID: a.ID.String(), Label: a.Name},
		Changes: changes}
}

// editEntry returns what the log says about an edit of the attribute. It has no action if nothing changed.
func (a *Attribute) editEntry(was *Attribute) audit.Entry {
	changes := audit.AppendChange(nil, "name", was.Name, a.Name)
	changes = audit.AppendOptional(changes, "external_id", was.ExternalID, a.ExternalID)
	changes = audit.AppendChange(changes, "filterable", yesNo(was.Filterable), yesNo(a.Filterable))
	changes = audit.AppendChange(changes, "type", was.typeText(), a.typeText())
	changes = audit.AppendChange(changes, "value_count", strconv.FormatInt(was.ValueCount, 10),
		strconv.FormatInt(a.ValueCount, 10))
	switch {
	case len(changes) == 0:
		return audit.Entry{}
	case len(changes) == 1 && was.Name != a.Name:
		return a.entry(a.Kind.actions().renamed, changes...)
	}
	return a.entry(a.Kind.actions().edited, changes...)
}

// typeText returns the type of a feature in one word.
func (a *Attribute) typeText() string {
	if a.FieldType == Range {
		return string(a.RangeType)
	}
	return string(a.FieldType)
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// entry returns what the log says about a change of the image.
func (im *Image) entry(action audit.Action) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "image", ID: im.ID.String()}}
}

// entry returns what the log says about a change of the product.
func (p *Product) entry(action audit.Action, changes ...audit.Change) audit.Entry {
	return audit.Entry{Action: action, Object: audit.Object{Kind: "product", ID: p.ID.String(), Label: p.Name},
		Changes: changes}
}
