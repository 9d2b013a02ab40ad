package exchangeapi

import (
	"maps"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/runapi"
	"vitrine/internal/shop/exchange"
)

const gateTag = "Exchange gate"

// Tag returns the tag that describes the gate in the OpenAPI document.
func Tag() openapi.Tag {
	return openapi.Tag{Name: gateTag,

		Description: "Where an accounting system pushes what it knows, by its own ids. A push has any number of " +
			"items, is read while it comes and applied batch by batch; " +
			"each item is applied whole or not at all, and a bad one keeps no other from being applied. What became " +
			"of a push is its run.\n\n" +
			"The exchange token `xt_…` stands in the path, which is then a secret: no log of ours shows it, " +
			"and proxies of yours should not. " +
			"Or send it as `Authorization: Bearer xt_…` and leave that part of the path out: `POST " +
			"/v2/sync-gate/products`, `GET /v2/sync-gate/runs/{id}/errors`, " +
			"and so all paths below. A token that is missing, mistyped, " +
			"expired or revoked is always the same 401 `invalid_exchange_token`.\n\n" +
			"Links, such as the `Location` of a push that is applied afterwards, " +
			"have no token in them: follow them with the same exchange token, as `Authorization: Bearer xt_…`. " +
			"A token sees the runs of its own pushes; the administration and secret keys " +
			"(`{admin_url}/api/store/exchange-runs`) see all of them. No scope is needed to read runs and what " +
			"products wait for.\n\n" +
			"`Idempotency-Key` means nothing here: pushing the same again changes nothing, " +
			"and items equal to what was last pushed are `unchanged`."}
}

// describe adds the documentation to each route, so that routes.go has only methods, paths, scopes and handlers.
func describe(routes []httpapi.Route) []httpapi.Route {
	docs := pushDocs()
	maps.Copy(docs, exportDocs())
	maps.Copy(docs, runDocs())
	maps.Copy(docs, oneCDocs())
	for key, doc := range docs {
		doc.PathParams = []httpapi.Param{{Name: "token",
			Description: "The exchange token, `xt_…`. Without this part of the path it is sent as `Authorization: " +
				"Bearer`."}}
		docs[key] = doc
	}
	return openapi.Describe(routes, openapi.Group(gateTag, "run", docs))
}

// pushDocs returns the documentation of the routes that receive pushes, by method and path.
func pushDocs() map[string]httpapi.Route {
	docs := map[string]httpapi.Route{}

	add := func(entity string, doc httpapi.Route) {
		doc.Response = runapi.Run{}
		doc.AcceptedExamples = []httpapi.Example{openapi.ResourceExample("A push that is applied after the answer",
			runapi.ExampleQueued(entity))}
		doc.ProblemMember = &httpapi.ProblemMember{
			Name: "run", Value: runapi.Run{}, Statuses: []int{400, 401, 409, 413, 422, 429, 500, 503},
			Description: "What was applied before the push failed. Absent if nothing was read yet: the token, " +
				"the query, the headers or the kind of body were refused.",
		}
		doc.Description += pushBodyNote
		doc.QueryParams = append(pushQuery(), doc.QueryParams...)
		doc.HeaderParams = []httpapi.Param{{Name: "Prefer",
			Description: "`respond-async` stores the push, answers 202 with a queued run and its `Location`, " +
				"and applies it afterwards."}}

		doc.Refusals = append([]httpapi.Refusal{
			{Status: 400, Code: "malformed_json",
				When: "the document is broken, or is not JSON in UTF-8: the message says where, " +
					"or what it looks like. What came before was applied, " +
					"and the member `run` tells it. In NDJSON a broken line is one failed item"},
			{Status: 400, Code: "body_incomplete",
				When: "the body was cut off or stopped coming for a minute; the member `run` tells what was applied"},
			{Status: 400, Code: "malformed_query",
				When: "the query has a parameter that is not known here, " +
					"or one that cannot be read; nothing was applied"},
			{Status: 401, Code: "invalid_exchange_token",
				When: "the token is not valid; if it was revoked or expired while the push was on its way, " +
					"the member `run` tells what was applied"},
			{Status: 409, Code: "atomic_too_large",
				When: "`atomic=true` was asked for, and other stores wrote at every attempt, " +
					"which on SQLite would have waited for the push; nothing was applied. Push without " +
					"`atomic=true`, in smaller parts or at a quieter time"},
			{Status: 422, Code: "push_rejected",
				When: "an item failed and `atomic=true` was asked for; nothing was applied, " +
					"the member `run` tells why"},
		}, doc.Refusals...)

		doc.ResponseExamples = []httpapi.Example{openapi.ResourceExample("A push of three items, one of them broken",
			runapi.ExampleReport(entity))}
		docs["POST "+routePrefix+entity] = doc
	}

	add(exchange.Products, httpapi.Route{
		OperationID: "pushProducts", Body: Push[PushedProduct]{}, BodyNDJSON: PushedProduct{}, Summary: "Push products",
		Description: "Creates and updates products with their variants. Nothing is removed because it was absent " +
			"from a push, unless `archive_missing=true` asks for it. " +
			"A reference to what is not known yet is kept, reported as a warning, " +
			"and linked by itself when that thing arrives. A variant whose price is null is not for sale, " +
			"one whose price is 0 is free. A new variant without a price is not for sale, " +
			"and a warning `no_price` says so. " +
			"A product that has no variant after the push is a warning `no_variants`: nobody can buy it.",
		QueryParams: []httpapi.Param{
			{Name: "archive_missing", Type: "boolean",
				Description: "`true` archives the pushed products of the store that are not in this push, " +
					"once all of it is applied. The run can be reverted."},
			{Name: "max_archive_share", Type: "number",
				Description: "Only with `archive_missing=true`: up to which share of the store's products, " +
					"from 0 to 1, that is done; 0.2 by default. Beyond it nothing is archived.", Example: "0.2"},
		},
		BodyExamples: []httpapi.Example{
			{Name: "A product with two variants",
				JSON: `{"payload":[{"id":1001,"name":"T-shirt","categories":["shirts"],"features":[{"id":"material",` +
					`"value_id":"cotton"}],` +
					`"images":["https://accounting.example/1001.jpg"],"variants":[{"id":1,"sku":"TS-S","price":1990,` +
					`"options":[{"id":"size","value_id":"s"}],"remainders":[{"stock_id":"main","quantity":12}]},` +
					`{"id":2,"sku":"TS-M","price":1990,"options":[{"id":"size","value_id":"m"}],` +
					`"remainders":[{"stock_id":"main","quantity":3}]}]}]}`},
			{Name: "A product with one variant",
				JSON: `{"payload":[{"id":1002,"name":"Mug","single_variant":true,"variant_price":490.5,` +
					`"variant_sku":"MUG","variant_remainders":[{"stock_id":"main","quantity":40}]}]}`},
		},
		Refusals: []httpapi.Refusal{{Status: 409, Code: "archive_refused",
			When: "more products are missing than `max_archive_share` allows; the items were applied, " +
				"nothing was archived, the member `run` tells it"}},
	})

	add(exchange.VariantOptions, httpapi.Route{
		OperationID: "pushVariantOptions", Body: Push[PushedOption]{}, BodyNDJSON: PushedOption{},
		Summary: "Push variant options",
		Description: "Creates and updates options with their values. Values are merged by id: those that are not " +
			"sent stay, only `removed_values` takes some away.",
		BodyExamples: []httpapi.Example{{Name: "An option",
			JSON: `{"payload":[{"id":"size","name":"Size","values":[{"id":"s","name":"S"},{"id":"m","name":"M"}]}]}`}},
	})

	add(exchange.Features, httpapi.Route{
		OperationID: "pushFeatures", Body: Push[PushedFeature]{}, BodyNDJSON: PushedFeature{}, Summary: "Push features",
		Description: "Creates and updates features with their values. Values are merged by id: those that are not " +
			"sent stay, only `removed_values` takes some away.",
		BodyExamples: []httpapi.Example{{Name: "A feature",
			JSON: `{"payload":[{"id":"material","name":"Material","values":[{"id":"cotton","name":"Cotton"}]}]}`}},
	})

	add(exchange.Categories, httpapi.Route{
		OperationID: "pushCategories", Body: Push[PushedCategory]{}, BodyNDJSON: PushedCategory{},
		Summary: "Push categories",
		Description: "Creates, renames and moves categories. A parent that is not known yet is linked when it " +
			"arrives.",
		BodyExamples: []httpapi.Example{{Name: "Two categories",
			JSON: `{"payload":[{"id":"wear","name":"Wear"},{"id":"shirts","name":"Shirts","parent_id":"wear"}]}`}},
	})
	add(exchange.Stocks, httpapi.Route{
		OperationID: "pushStocks", Body: Push[PushedStock]{}, BodyNDJSON: PushedStock{}, Summary: "Push stocks",
		Description:  "Creates and renames the places where goods lie.",
		BodyExamples: []httpapi.Example{{Name: "A stock", JSON: `{"payload":[{"id":"main","name":"Main warehouse"}]}`}},
	})
	add(exchange.Remainders, httpapi.Route{
		OperationID: "pushRemainders", Body: Push[PushedQuantity]{}, BodyNDJSON: PushedQuantity{},
		Summary: "Push remainders",
		Description: "Sets how much of variants stocks have, and nothing else. A variant that is not known is a " +
			"failed item (`unknown_variant`), as is one that several products have (`ambiguous_variant`).",
		BodyExamples: []httpapi.Example{{Name: "A remainder",
			JSON: `{"payload":[{"variant_id":1,"product_id":1001,"stock_id":"main","quantity":11}]}`}},
	})

	add(exchange.Prices, httpapi.Route{
		OperationID: "pushPrices", Body: Push[PushedPrice]{}, BodyNDJSON: PushedPrice{}, Summary: "Push prices",
		Description: "Sets prices of variants, and nothing else; null means that the variant is not for sale. With " +
			"`price_list_id` it sets the price in a price list, from a quantity on, and null removes that price. A " +
			"list that is not known yet is a warning `unknown_price_list`; the price is kept, and is in the list " +
			"when that arrives. A variant that is not known is a failed item (`unknown_variant`), " +
			"as is one that several products have (`ambiguous_variant`).",
		BodyExamples: []httpapi.Example{
			{Name: "A price", JSON: `{"payload":[{"variant_id":1,"product_id":1001,"price":1790}]}`},
			{Name: "A wholesale price from 10 pieces on",
				JSON: `{"payload":[{"variant_id":1,"product_id":1001,"price_list_id":"wholesale","from_quantity":10,` +
					`"price":1490}]}`},
		},
	})
	add(exchange.PriceLists, httpapi.Route{
		OperationID: "pushPriceLists", Body: Push[PushedPriceList]{}, BodyNDJSON: PushedPriceList{},
		Summary: "Push price lists",
		Description: "Creates, renames and deletes price lists. Their prices are pushed with products or as prices. " +
			"A store has at most 100 lists; one more is a failed item (`too_many_price_lists`). So is another " +
			"currency for a list that groups of customers use (`price_list_in_use`).",
		BodyExamples: []httpapi.Example{{Name: "A price list",
			JSON: `{"payload":[{"id":"wholesale","name":"Wholesale","currency":"EUR"}]}`}},
	})

	return docs
}

const pushBodyNote = "\n\nThe body is `{\"payload\": […]}` or `[…]`, or NDJSON with an item a line; a byte order " +
	"mark is skipped, gzip and zstd are unpacked, and there is no limit to its length. " +
	"The answer comes when all of it is applied, with up to 1,000 errors and warnings of the run."

func pushQuery() []httpapi.Param {
	return []httpapi.Param{
		{Name: "atomic", Type: "boolean", Description: "`true` applies the whole push or nothing of it."},
		{Name: "dry_run", Type: "boolean",
			Description: "`true` answers the same report and changes nothing. What would change is under `/changes` " +
				"of the run."},
		{Name: "revertible", Type: "boolean",
			Description: "`true` keeps what the push changes, at most 100,000 items, so that a person can revert it " +
				"in the administration. It takes about twice the time."},
	}
}

// runDocs returns the documentation of the routes of runs, by method and path.
func runDocs() map[string]httpapi.Route {
	failed := exchange.RunNote{Index: 2, ID: new("1003"), Field: "variants[0].price", Code: "out_of_range",
		Message: "A price may not be negative."}
	report := []httpapi.Example{openapi.ResourceExample("A run", runapi.ExampleReport(exchange.Products))}

	return map[string]httpapi.Route{
		"GET " + routePrefix + "pending": {
			OperationID: "listPending", Response: PendingReference{}, CursorPaged: true,
			Summary: "List what products wait for",
			Description: "Lists what pushed products refer to and what has not arrived yet, of the whole store, " +
				"the most wanted first. An id with a typo waits here for ever: " +
				"push the product again without it. What arrives is linked by itself and leaves the list.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("A value of a feature", PendingReference{
				Entity: exchange.Features, ID: "material", ValueID: new("coton"), WantedBy: 12,
				FirstSeenAt: openapi.ExampleDates().Date(new(openapi.ExampleTime())),
			})},
		},
		"GET " + routePrefix + "runs": {
			OperationID: "listRuns", Response: runapi.RunSummary{}, CursorPaged: true, Summary: "List runs",
			Description: "Lists the pushes of this token, the newest first, " +
				"without their errors and warnings. Runs are kept for 30 days, unless the operator chose otherwise.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("The last run",
				runapi.ExampleSummary(exchange.Products))},
		},
		"GET " + routePrefix + "runs/{id}": {
			OperationID: "getRun", Response: runapi.Run{}, Summary: "Read a run",
			Description:      "Answers how far a push is, or what became of it. A run of another token is 404.",
			ResponseExamples: report,
		},
		"GET " + routePrefix + "runs/{id}/errors": {
			OperationID: "listRunErrors", Response: exchange.RunNote{}, CursorPaged: true,
			Summary:          "List the errors of a run",
			Description:      "Lists why items failed, all of them, in the order of the items.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("An error", failed)},
		},
		"GET " + routePrefix + "runs/{id}/warnings": {
			OperationID: "listRunWarnings", Response: exchange.RunNote{}, CursorPaged: true,
			Summary: "List the warnings of a run",
			Description: "Lists what was applied otherwise than it was sent, all of it, " +
				"in the order of the items.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("A warning", runapi.ExampleWarning())},
		},
		"GET " + routePrefix + "runs/{id}/changes": {
			OperationID: "listRunChanges", Response: exchange.RunChange{}, CursorPaged: true,
			Summary: "List what a dry run would change",
			Description: "Lists, for each item of a push with `dry_run=true` that would change something, " +
				"what that is, in the order of the items; at most 100,000 items. It is empty for other pushes. Past " +
				"what is kept of a store, the rest is missing; the run then has a warning `changes_not_kept`.",
			ResponseExamples: []httpapi.Example{openapi.CursorExample("Another price", runapi.ExampleChange())},
		},
		"GET " + routePrefix + "runs/{id}/rejects": {
			OperationID: "getRunRejects", PlainMediaType: runapi.NDJSON, Summary: "Read the items of a run that failed",
			Description: "Answers with each item that failed as it was sent, one a line, " +
				"in their order: correct them and push them again as NDJSON. Those past what is kept of a store are " +
				"missing; the run then has a warning `rejects_not_kept`.",
		},
		"POST " + routePrefix + "runs/{id}/revert": {
			OperationID: "revertRun", Response: runapi.Run{}, Summary: "Bring back what a run archived",
			Description: "Brings back the products that the run archived because they were missing from it, " +
				"and that have been archived since. What the push itself changed stays. Reverting twice does no harm.",
			ResponseExamples: report,
			Refusals: []httpapi.Refusal{{Status: 409, Code: "run_not_finished",
				When: "the push is still being applied"}},
		},
	}
}
