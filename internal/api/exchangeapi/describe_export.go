package exchangeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/exchange"
)

// exportDocs returns the documentation of the routes of exports, by method and path.
func exportDocs() map[string]httpapi.Route {
	docs := map[string]httpapi.Route{}

	add := func(entity, operation, noun, description string) {
		docs["GET "+routePrefix+entity] = httpapi.Route{
			OperationID: operation, PlainMediaType: runapi.NDJSON, Summary: "Export " + noun,
			Description: description + exportNote,
			QueryParams: []httpapi.Param{{Name: "changed_since",
				Description: "The `X-Export-Cursor` of an earlier export: only what may have changed since is " +
					"exported, archived products as `{\"id\", \"archived\": true}`, deleted things as `{\"id\", " +
					"\"deleted\": true}`, deleted values as `removed_values`. A push understands all of them."},
				{Name: "assign_ids", Type: "boolean",
					Description: "`true` first gives what would be left out its own id as external id, " +
						"for good. The token needs the scope `" + exchange.AssignScope(entity) + "` for that, too."}},
			Refusals: []httpapi.Refusal{
				{Status: 400, Code: "malformed_query",
					When: "`changed_since` is not the cursor of an export of this store"},
				{Status: 410, Code: "cursor_expired",
					When: "`changed_since` is too old: deletions are known for 90 days. Export everything"},
				{Status: 403, Code: "forbidden",
					When: "the token has not the scope `exchange:read`, " +
						"or `assign_ids=true` was asked for and it has not the scope `" + exchange.AssignScope(entity) +
						"`"},
			},
		}
	}

	add(exchange.Products, "exportProducts", "products",
		"Answers with the live products, one a line, with all members. Images are addresses of this store, "+
			"with `images_mode` `replace`. "+
			"A sole variant without an external id is exported as `single_variant`. A product is left out if one of "+
			"its variants, or something that it refers to, has no external id.")
	add(exchange.VariantOptions, "exportVariantOptions", "variant options",
		"Answers with the options and their values, in their order. Values without an external id are left out, "+
			"each of them counted.")
	add(exchange.Features, "exportFeatures", "features",
		"Answers with the features and their values, in their order. Values without an external id are left out, "+
			"each of them counted.")
	add(exchange.Categories, "exportCategories", "categories",
		"Answers with the categories, each after its parent, siblings in their order. A category below one that has "+
			"no external id is left out, too.")
	add(exchange.Stocks, "exportStocks", "stocks", "Answers with the stocks.")
	add(exchange.Remainders, "exportRemainders", "remainders",
		"Answers with the quantities of the exported products' variants. A variant of a product with "+
			"`single_variant` has no line.")
	add(exchange.Prices, "exportPrices", "prices",
		"Answers with the prices of the exported products' variants; null for a variant that is not for sale. Prices "+
			"in price lists have a line each. A variant of a product with `single_variant` has no line.")
	add(exchange.PriceLists, "exportPriceLists", "price lists", "Answers with the price lists, without their prices.")

	return docs
}

const exportNote = "\n\nThe answer is NDJSON in the form in which it is pushed, " +
	"from one snapshot. Pushing it to this store changes nothing; pushing everything to an empty store, " +
	"in the order stocks, price lists, variant options, features, categories, products, " +
	"makes an equal catalogue. The header `X-Export-Total` has the number of lines, " +
	"`X-Export-Left-Out` the number of things that are left out because they have no external id, " +
	"`X-Export-Cursor` the cursor for the next export. The token needs the scope `exchange:read`."
