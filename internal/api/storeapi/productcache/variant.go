package productcache

import (
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
)

// AppendVariant appends a variant as the routes of variants show it, with its archived_at.
func AppendVariant(b []byte, v *catalog.Variant, dates *locale.Dates, remainders bool) []byte {
	b = appendVariantHead(b, v)
	for i := range v.Options {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendOption(b, &v.Options[i])
	}

	b = append(b, ']')
	if remainders {
		b = append(b, `,"remainders":[`...)
		b = appendRemainders(b, v.Remainders)
		b = append(b, ']')
	}

	b = append(b, `,"archived_at":`...)
	b = appendDateOrNull(b, dates, v.ArchivedAt)
	return append(b, '}')
}

func appendOption(b []byte, c *catalog.AttributeValue) []byte {
	b = appendAttributeHead(b, c.AttributeID, c.Name)
	b = appendValue(b, c.Value.ID, c.Value.Name)
	return append(b, "}}"...)
}
