package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/event/payload"
)

// Changes are what changed in the catalogue since a version. Without since only the version is there.
type Changes struct {
	_ struct{} `doc:"What changed in the catalogue since a version; only the version without since."`

	Version    int64                  `json:"version" doc:"The version of the catalogue up to which the changes are told. Ask for the changes since it the next time." example:"184"`
	Products   *payload.ChangedThings `json:"products,omitzero"`
	Categories *payload.ChangedThings `json:"categories,omitzero"`
	PricesOnly *bool                  `json:"prices_only,omitzero" doc:"Whether nothing but prices and stock of products changed, on all pages."`
	Tags       []string               `json:"tags,omitzero" doc:"The tags of the cached answers that are out of date, as in the header Cache-Tag: those of the listed ids, and list." example:"[\"product-019a8269-6b00-7e21-9a07-7e8f9a0b1c07\",\"list\"]"`
}

// ChangesMeta is the member meta of changes.
type ChangesMeta struct {
	_ struct{} `doc:"How the list of changes goes on."`

	NextCursor *string `json:"next_cursor" doc:"Send it as cursor to read on; null if this is the end." example:"AAAAAAAAAAdbxSRh"`
}

func exampleChanges() Changes {
	shirt := exampleID(exampleShirtID)
	return Changes{Version: 184, Products: &payload.ChangedThings{Count: 1, IDs: []schema.ID{shirt}},
		Categories: &payload.ChangedThings{IDs: []schema.ID{}}, PricesOnly: new(true),
		Tags: []string{"product-" + exampleShirtID, "list"}}
}

// changeDocs documents the route for changes of the catalogue.
func changeDocs() map[string]httpapi.Route {
	return openapi.Group(changeTag, "", map[string]httpapi.Route{
		"GET /v2/changes": {
			OperationID: "listChanges", Summary: "List what changed in the catalogue", Response: Changes{},
			Meta: ChangesMeta{},
			Description: "What is new, changed or deleted since a version: the ids of products and categories, and " +
				"the tags of the cached answers that show them. Keep the `version`, and ask for what changed since " +
				"it the next time: so you miss nothing, whether events reached you or not. A renamed feature, option " +
				"or value changes its products. What changes many products at once, such as the deletion of a large " +
				"category, may list products that have not changed.\n\n" +
				"A page has at most 1,000 ids of products and as many of categories. Read on with " +
				"`meta.next_cursor`; `version`, the counts and `prices_only` are the same on all pages.\n\n" +
				"Changes are known for at least 7 days. After that the answer is 410: read the catalogue again, and " +
				"go on from the version of `since=0`.",
			QueryParams: []httpapi.Param{
				{Name: "since", Type: "integer", Example: "183",
					Description: "The version since which changes are listed; 0 lists the whole catalogue. Without " +
						"it the answer has the present version alone."},
				{Name: "cursor", Description: "Where to go on: the `meta.next_cursor` of the answer before. `since` " +
					"may be left out then."},
			},
			ResponseExamples: examples(openapi.ExampleWithMeta("A price changed", exampleChanges(), ChangesMeta{}),
				openapi.ExampleWithMeta("The present version", Changes{Version: 184}, ChangesMeta{})),
			Refusals: []httpapi.Refusal{{Status: 410, Code: "version_expired",
				When: "the changes since this version are not known any more, or the database was restored to an " +
					"earlier state"}},
		},
	})
}
