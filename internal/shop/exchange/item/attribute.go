package item

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

// Option returns the item type of variant options.
func Option() Type[catalog.AttributePush] { return attributeItemType(catalog.Option) }

// Feature returns the item type of features.
func Feature() Type[catalog.AttributePush] { return attributeItemType(catalog.Feature) }

func attributeItemType(kind catalog.Kind) Type[catalog.AttributePush] {
	entity := "variant-options"
	members := attributeMembers()
	if kind == catalog.Feature {
		entity = "features"
		members = append(members, "filterable", "field_type", "range_type")
	}
	return Type[catalog.AttributePush]{
		entity, maxValuesItemBytes, members,
		func(f *itemReader) catalog.AttributePush { return readAttributePush(f, kind) },
	}
}

// readAttributePush reads {id, version?, name, values?, removed_values?}; a feature also has filterable, field_type and
// range_type.
func readAttributePush(f *itemReader, kind catalog.Kind) catalog.AttributePush {
	var p catalog.AttributePush

	f.item(&p.ID, &p.Version, func(name string) bool {
		switch name {
		case "name":
			p.Name = wire.OrNil(rule.ReadName(f.Reader))
		case "values":
			p.Values = readValues(f)
		case "removed_values":
			p.Removed = readRemovedValues(f)
		case "deleted":
			f.readMark(&p.Mark, name)
		case "store_id":
			return kind == catalog.Option
		default:
			return isReadOnly(name) || kind == catalog.Feature && readFeaturePushMember(f, name, &p)
		}

		return true
	})

	f.warnOfMarked(p.Mark)
	f.setName(p.Name, "")
	p.Digest = itemDigest(p)
	p.TakesTexts = f.meta.TakesTexts
	return p
}

func readFeaturePushMember(f *itemReader, name string, p *catalog.AttributePush) bool {
	switch name {
	case "filterable":
		p.Filterable = wire.OrNil(f.Bool())
	case "field_type":
		p.FieldType = wire.OrNil(catalog.ReadFieldType(f.Reader))
	case "range_type":
		// The API returns null for a select feature, and clients may send it back.
		if !f.Null() {
			p.RangeType = wire.OrNil(catalog.ReadRangeType(f.Reader))
		}
	default:
		return false
	}
	return true
}

// readValues reads [{id, name}], of any length. It skips the other members that the API returns for a value.
func readValues(f *itemReader) []catalog.ValuePush {
	var list []catalog.ValuePush
	first := map[string]int{}
	keeps := f.KeepsElements()

	f.Array(func(i int) {
		var v catalog.ValuePush
		var identified, named bool

		ok := f.object(func(name string) bool {
			switch name {
			case "id":
				identified = true
				v.ID, _ = rule.ReadExternalID(f.Reader)
			case "name":
				named = true
				v.Name, _ = rule.ReadName(f.Reader)
			default:
				return name == "range_value" || isReadOnly(name)
			}

			return true
		})
		if !ok {
			return
		}

		f.require(ok, identified, "id",
			"A value needs the id that your system knows it by: a string or a whole number.")
		if !named {
			f.CheckAt("name", rule.NameRequired("Each value"))
		}

		if was, duplicate := first[v.ID]; duplicate {
			f.FailAt("id", "duplicate_id", "values[%d] has the same id; each value may be named once.", was)
		} else if v.ID != "" {
			first[v.ID] = i
		}

		if keeps() {
			list = append(list, v)
		}
	})

	return list
}

func readRemovedValues(f *itemReader) []string {
	var list []string
	first := map[string]int{}
	keeps := f.KeepsElements()

	f.Array(func(i int) {
		s, ok := rule.ReadExternalID(f.Reader)
		if !ok {
			return
		}

		if was, duplicate := first[s]; duplicate {
			f.Failf("duplicate_id", "removed_values[%d] is the same id; each value may be named once.", was)
		} else {
			first[s] = i
		}

		if keeps() {
			list = append(list, s)
		}
	})

	return list
}
