package exchange

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
)

// maxBeforeBytes limits what is kept of a thing before a file changed it. A larger one cannot be reverted.
const maxBeforeBytes = 1 << 20

// isImages reports whether a member has images. They are not reverted: the former ones may be deleted.
func isImages(name string) bool {
	return strings.HasSuffix(name, "images") || strings.HasSuffix(name, "images_mode")
}

// keptBefore returns what is kept of a thing that an item changes, to revert it: of a price or a quantity the item that
// restores it, of other things the members that change. It returns nil if the change cannot be reverted.
func keptBefore(entity string, c RunChange, was, is []byte) jsontext.Value {
	before := membersOf(was)
	switch {
	case c.Action == ActionDeleted, len(c.Changes) == maxItemChanges:
		return nil
	case entity == Prices || entity == Remainders:
		if len(was) == 0 {
			before = membersOf(is)
			before[valueMember(entity)] = jsontext.Value(map[string]string{Prices: "null", Remainders: "0"}[entity])
		}
	case c.Action == ActionArchived:
		maps.DeleteFunc(before, func(name string, _ jsontext.Value) bool { return name != "name" })
	case c.Action == ActionUpdated:
		after := membersOf(is)
		maps.DeleteFunc(before, func(name string, value jsontext.Value) bool {
			return isImages(name) || bytes.Equal(value, after[name]) && name != "single_variant"
		})
	default:
		clear(before)
	}

	kept := wire.AppendJSON(nil, before)
	if len(kept) > maxBeforeBytes {
		return nil
	}
	return kept
}

// valueMember returns the member of a price or a quantity that is not part of its identity.
func valueMember(entity string) string {
	if entity == Prices {
		return "price"
	}
	return "quantity"
}

// undoItem makes the item that reverts a change of a file.
type undoItem struct {
	entity string
	change RunChange
	before map[string]jsontext.Value // see keptBefore
}

func newUndoItem(entity string, c RunChange) *undoItem {
	return &undoItem{entity: entity, change: c, before: membersOf(c.before)}
}

// probe returns an item that names the thing, and of an option or a feature the values that the file changed.
func (u *undoItem) probe() []byte {
	members := map[string]jsontext.Value{"id": u.id()}
	switch u.entity {
	case Prices, Remainders:
		return compact(u.before)
	case Features, VariantOptions:
		values := elementsByID(u.before["values"])
		for _, c := range u.change.Changes {
			if id, ok := elementID(c.Field, "values"); ok && values[id] == nil {
				values[id] = c.To
			}
		}
		members["values"] = listJSON(sortedValues(values))
	}
	return compact(members)
}

// sortedValues returns the elements in the order of their ids.
func sortedValues(byID map[string]jsontext.Value) (list []jsontext.Value) {
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		list = append(list, byID[id])
	}
	return list
}

func (u *undoItem) id() jsontext.Value {
	if u.change.ID == nil {
		return jsontext.Value("null")
	}
	return wire.AppendString(nil, *u.change.ID)
}

// isCurrent reports whether the thing is as the file left it, as far as the file changed it. now is nil if there is no
// such thing, or if it is archived.
func (u *undoItem) isCurrent(now *described) bool {
	exists := now != nil && !now.archived
	switch u.change.Action {
	case ActionDeleted:
		return now == nil
	case ActionArchived:
		return now != nil && now.archived
	case ActionCreated, ActionRestored:
		if !exists {
			return false
		}
		if u.entity != Prices && u.entity != Remainders {
			return slices.EqualFunc(withoutImages(diffItems(nil, now.shown())), withoutImages(u.change.Changes),
				sameTarget)
		}
	}

	if !exists {
		return false
	}

	current := membersOf(now.shown())
	before := membersOf(unmarked(u.change.before))
	if u.entity != Prices && u.entity != Remainders {
		u.restrict(current, before)
	}

	targets := map[string]MemberChange{}
	d := &itemDiff{}
	d.members("", before, current)
	for _, c := range d.changes {
		targets[c.Field] = c
	}

	return !slices.ContainsFunc(u.change.Changes, func(c MemberChange) bool {
		is, found := targets[c.Field]
		return !ofImages(c) && (!found || !sameTarget(is, c))
	})
}

// restrict takes those members out of current that the file did not change.
func (u *undoItem) restrict(current, before map[string]jsontext.Value) {
	changed := map[string]bool{}
	for _, c := range u.change.Changes {
		changed[rootOf(c.Field)] = true
	}
	maps.DeleteFunc(current, func(name string, _ jsontext.Value) bool { return !changed[name] && before[name] == nil })
}

func sameTarget(a, b MemberChange) bool { return a.Field == b.Field && bytes.Equal(a.To, b.To) }

// rootOf returns the member of the thing itself in which a changed one is.
func rootOf(field string) string {
	if i := strings.IndexAny(field, "[."); i >= 0 {
		return field[:i]
	}
	return field
}

// ofImages reports whether the images of the thing or of one of its variants have changed.
func ofImages(c MemberChange) bool {
	return isImages(rootOf(c.Field)) || strings.HasSuffix(c.Field, "].images")
}

func withoutImages(changes []MemberChange) []MemberChange {
	return slices.DeleteFunc(slices.Clone(changes), ofImages)
}

// body returns the item that reverts the change, or nil if nothing does. What others have changed since stays as far as
// a push can leave it: lists are pushed as a whole, so they are taken from now and get back what the file changed.
func (u *undoItem) body(now *described) []byte {
	members := map[string]jsontext.Value{"id": u.id()}
	switch {
	case u.entity == Prices || u.entity == Remainders:
		return compact(u.before)
	case u.change.Action == ActionCreated || u.change.Action == ActionRestored:
		mark := catalog.DeletedMark
		if u.entity == Products {
			mark = catalog.ArchivedMark
		}
		members[string(mark)] = jsontext.Value("true")
		return compact(members)
	case u.change.Action == ActionArchived:
		members["name"] = u.before["name"]
		return compact(members)
	case now == nil || now.archived:
		return nil
	}

	u.restore(members, membersOf(now.text))
	if len(members) == 1 {
		return nil
	}
	return compact(members)
}

// restore adds the members that the file changed as they were before it.
func (u *undoItem) restore(members, current map[string]jsontext.Value) {
	changed := map[string]bool{}
	for _, c := range u.change.Changes {
		changed[rootOf(c.Field)] = true
	}

	single := u.before["single_variant"] != nil
	for name := range changed {
		before := u.before[name]
		switch {
		case isImages(name):
		case strings.HasPrefix(name, "variant_") && !single && name != "variant_options",
			name == "variants" && single: // the file has changed how many variants there are; the other form says it
		case name == "variants":
			members[name] = u.restoreVariants(before, current[name])
		case name == "values":
			u.restoreValues(members)
		case keyOf(name) != "":
			members[name] = u.restorePairs(name, name, before, current[name])
		case before == nil:
			members[name] = jsontext.Value("null")
		default:
			members[name] = before
		}
		if strings.HasPrefix(name, "variant_") && members[name] != nil {
			members["single_variant"] = jsontext.Value("true")
		}
	}
}

// keyOf returns the member that identifies the elements of a list of pairs; "" for other members.
func keyOf(name string) string {
	switch strings.TrimPrefix(name, "variant_") {
	case "features", "options":
		return "id"
	case "remainders":
		return "stock_id"
	case "prices":
		return "price_list_id"
	}
	return ""
}

// restorePairs returns a list of pairs in which those that the file changed are as before it. path is that of the list.
// A price that the file added becomes null, since a list without it leaves it.
func (u *undoItem) restorePairs(path, name string, before, current jsontext.Value) jsontext.Value {
	isChanged := func(e jsontext.Value) bool {
		return slices.ContainsFunc(u.change.Changes, func(c MemberChange) bool {
			return c.Field == path+"["+pairKey(name, e)+"]"
		})
	}

	var list []jsontext.Value
	restored := map[string]bool{}
	for _, e := range listOf(before) {
		if isChanged(e) {
			list = append(list, e)
			restored[pairKey(name, e)] = true
		}
	}

	for _, e := range listOf(current) {
		switch {
		case !isChanged(e):
			list = append(list, e)
		case keyOf(name) == "price_list_id" && !restored[pairKey(name, e)]:
			price := membersOf(e)
			price["price"] = jsontext.Value("null")
			list = append(list, compact(price))
		}
	}

	return listJSON(list)
}

// pairKey returns what identifies an element of a list of pairs, as in the fields of its changes.
func pairKey(name string, element jsontext.Value) string {
	m := membersOf(element)
	key := textOf(unmarked(m[keyOf(name)]))
	if keyOf(name) == "price_list_id" {
		key += "," + string(m["from_quantity"])
	}
	return key
}

// restoreVariants returns the complete list of variants: those that the file added are missing, so they are archived,
// and of the others only the members that it changed are named.
func (u *undoItem) restoreVariants(before, current jsontext.Value) jsontext.Value {
	stored := elementsByID(current)
	var list []jsontext.Value
	named := map[string]bool{}

	for _, e := range listOf(before) {
		id := textOf(membersOf(e)["id"])
		named[id] = true
		list = append(list, u.restoreVariant(id, membersOf(e), membersOf(stored[id])))
	}

	for _, e := range listOf(current) {
		id := textOf(membersOf(e)["id"])
		if c := u.changeOf("variants[" + visible(id) + "]"); !named[id] && (c == nil || string(c.From) != "null") {
			list = append(list, compact(map[string]jsontext.Value{"id": membersOf(e)["id"]}))
		}
	}

	return listJSON(list)
}

func (u *undoItem) restoreVariant(id string, before, current map[string]jsontext.Value) jsontext.Value {
	at := "variants[" + visible(id) + "]"
	if u.changeOf(at) != nil { // the file has removed it
		maps.DeleteFunc(before, func(name string, _ jsontext.Value) bool { return isImages(name) })
		return compact(before)
	}

	members := map[string]jsontext.Value{"id": before["id"]}
	for _, c := range u.change.Changes {
		rest, within := strings.CutPrefix(c.Field, at+".")
		name := rootOf(rest)
		switch {
		case !within || isImages(name):
		case keyOf(name) != "":
			members[name] = u.restorePairs(at+"."+name, name, before[name], current[name])
		case before[name] == nil:
			members[name] = jsontext.Value("null")
		default:
			members[name] = before[name]
		}
	}

	return compact(members)
}

func (u *undoItem) changeOf(field string) *MemberChange {
	for i := range u.change.Changes {
		if u.change.Changes[i].Field == field {
			return &u.change.Changes[i]
		}
	}
	return nil
}

// restoreValues adds the values that the file changed or removed as they were, and removes those that it added.
func (u *undoItem) restoreValues(members map[string]jsontext.Value) {
	before := elementsByID(u.before["values"])
	values := map[string]jsontext.Value{}
	var removed []jsontext.Value
	for _, c := range u.change.Changes {
		id, ok := elementID(c.Field, "values")
		switch {
		case !ok:
		case before[id] != nil:
			values[id] = before[id]
		default:
			removed = append(removed, wire.AppendString(nil, id))
		}
	}

	if len(values) > 0 {
		members["values"] = listJSON(sortedValues(values))
	}
	if len(removed) > 0 {
		members["removed_values"] = listJSON(removed)
	}
}

// elementID returns the id of an element in the path of a change, such as values[7].name.
func elementID(field, list string) (string, bool) {
	rest, ok := strings.CutPrefix(field, list+"[")
	if !ok {
		return "", false
	}
	rest = strings.TrimSuffix(rest, ".name")
	return strings.CutSuffix(rest, "]")
}

// shown returns the text of a thing as it is shown, without the marks of own ids.
func (d *described) shown() []byte { return unmarked(d.text) }

// ownIDText is export.OwnIDMark in JSON.
const ownIDText = `\u0000`

// unmarked returns JSON without the marks of own ids.
func unmarked(text []byte) []byte {
	if !bytes.Contains(text, []byte(ownIDText)) {
		return text
	}
	return bytes.ReplaceAll(text, []byte(ownIDText), nil)
}

// visible returns an id without its mark.
func visible(id string) string { return strings.TrimPrefix(id, export.OwnIDMark) }

// hasOwnID reports whether an item names something that has no external id, so that it cannot be pushed.
func hasOwnID(body []byte) bool { return bytes.Contains(body, []byte(ownIDText)) }

func compact(members map[string]jsontext.Value) []byte {
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		panic("exchange: marshal members: " + err.Error()) // they are JSON already
	}
	return text
}

func listJSON(elements []jsontext.Value) jsontext.Value {
	return append(append(jsontext.Value("["), bytes.Join(asBytes(elements), []byte(","))...), ']')
}

// keepsChanges reports whether a run keeps what it changes, or would change: a dry run, the file of an operator, and a
// push that asks for it.
func (r *Run) keepsChanges() bool { return r.DryRun || r.KeepChanges || !r.Operator.IsZero() }
