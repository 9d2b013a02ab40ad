package item

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
)

// maxSuggestName limits the length of a name for which a known member is looked up, in bytes.
const maxSuggestName = 64

// suggestMember returns the known member that was probably meant by an unknown one, or nil. Both are paths without list
// positions, such as variants[].price. A member of the same object with a similar name comes first, then a member of
// another object with the same name.
func suggestMember(path string, known []string) *string {
	parent, name := splitMember(path)
	if len(name) > maxSuggestName {
		return nil
	}

	var best, elsewhere *string
	most := max(1, len(name)/3)
	for _, k := range known {
		knownParent, knownName := splitMember(k)
		same := foldMember(name) == foldMember(knownName)
		switch {
		case knownParent == parent && same:
			return &k
		case knownParent == parent:
			if n := fault.EditDistance(name, knownName); n <= most && n < len(knownName) {
				best = &k
				most = n - 1
			}
		case same && elsewhere == nil:
			elsewhere = &k
		}
	}

	if best != nil {
		return best
	}

	return elsewhere
}

// splitMember splits a path into the path of the object and the name of its member.
func splitMember(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

var memberFolder = strings.NewReplacer("_", "", "-", "", " ", "")

// foldMember returns a name in a form in which VariantPrice and variant_price are equal.
func foldMember(name string) string { return memberFolder.Replace(strings.ToLower(name)) }

// attributeMembers are the members of an option.
func attributeMembers() []string {
	return []string{"id", "version", "name", "values", "values[].id", "values[].name", "removed_values", "deleted"}
}

// productMembers are the members of a product.
func productMembers() []string {
	return slices.Concat([]string{"id", "version"}, catalog.ProductScalars.Names(""), []string{
		"unit.code", "unit.name", "single_variant", "variants", "features", "categories",
		"canonical_category", "images", "images_mode", "modifiers",
	}, catalog.VariantScalars.Names("variant_"), []string{
		"variant_remainders", "variant_options", "variant_prices", "variant_images", "variant_images_mode",
		"variants[].id",
	}, catalog.VariantScalars.Names("variants[]."), []string{
		"variants[].remainders", "variants[].options", "variants[].prices", "variants[].images",
		"variants[].images_mode",
		"variants[].prices[].price_list_id", "variants[].prices[].price", "variants[].prices[].from_quantity",
		"variant_prices[].price_list_id", "variant_prices[].price", "variant_prices[].from_quantity",
		"variants[].remainders[].stock_id", "variants[].remainders[].quantity",
		"variants[].options[].id", "variants[].options[].value_id",
		"variant_remainders[].stock_id", "variant_remainders[].quantity",
		"variant_options[].id", "variant_options[].value_id",
		"features[].id", "features[].value_id", "images[].url", "images[].id", "variants[].images[].url",
		"variants[].images[].id", "variant_images[].url", "variant_images[].id", "archived", "deleted",
	})
}
