package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Synonyms are the synonyms of a store, in requests and responses.
type Synonyms struct {
	_ struct{} `doc:"Words and phrases with the same meaning. A search for one of them also finds the others, after what has the word itself."`

	Groups [][]string      `json:"groups" doc:"Groups of at least two and at most 50 words or phrases, each of at most 100 characters and 8 words. What the search reads alike, such as two spellings that differ in case, is kept once in a group."`
	OneWay []OneWaySynonym `json:"one_way" doc:"Rules in one direction. Groups and rules are at most 10,000 together."`
}

// SynonymEdit is the body that edits the synonyms.
type SynonymEdit struct {
	Groups [][]string      `json:"groups,omitempty" doc:"All groups. Those that are left out are removed."`
	OneWay []OneWaySynonym `json:"one_way,omitempty" doc:"All rules in one direction. Those that are left out are removed."`
}

// OneWaySynonym is a rule of synonyms in one direction.
type OneWaySynonym struct {
	_ struct{} `doc:"A search for “from” also finds what has one of “to”, but not the other way round."`

	From string   `json:"from" example:"handset"`
	To   []string `json:"to" doc:"At least one and at most 50 words or phrases." example:"[\"phone\"]"`
}

// SearchPin names the products that come first for a query, in requests and responses.
type SearchPin struct {
	_ struct{} `doc:"The products that come first for a query, in relevance order."`

	Query    string      `json:"query" doc:"The whole query; it is compared as the search reads it, so that case, “ё” and “е”, or “iPhone15” and “iPhone 15” do not matter." example:"lamp"`
	Products []schema.ID `json:"products" doc:"The products in their order, at most 100. A deleted product leaves its pins, and a pin without products is deleted. Archived ones are kept, but not shown."`
}

// SearchQuery is a query of a day.
type SearchQuery struct {
	_ struct{} `doc:"A query that visitors searched for on a day."`

	Day    string `json:"day" format:"date" doc:"The day in the timezone of the store." example:"2026-11-14"`
	Query  string `json:"query" doc:"The words as the search reads them: folded, with a space between them." example:"iphone 15"`
	Count  int64  `json:"count" doc:"How often it was asked." example:"12"`
	Found  int64  `json:"found" doc:"How many products it found the last time." example:"3"`
	Clicks int64  `json:"clicks" doc:"How many of its results were clicked, as POST /v2/search/clicks told." example:"5"`
	Orders int64  `json:"orders" doc:"How many orders were submitted on the day with a product that had been clicked in its results on the day. Visitors are not followed: the click and the order may be of two people." example:"1"`
}

// SearchClick is the body that counts a click.
type SearchClick struct {
	Query     string    `json:"query" doc:"The query whose results were shown, at most 1,024 characters." example:"lamp"`
	ProductID schema.ID `json:"product_id" doc:"The product that was clicked."`
}

func exampleSynonyms() Synonyms {
	return Synonyms{Groups: [][]string{{"lamp", "light", "desk lamp"}},
		OneWay: []OneWaySynonym{{From: "handset", To: []string{"phone"}}}}
}

func exampleSearchPins() []SearchPin {
	return []SearchPin{{Query: "shirt", Products: []schema.ID{exampleID(exampleShirtID)}}}
}

// searchDocs documents the routes for what a store tells its search, and for what people search.
func searchDocs() map[string]httpapi.Route {
	empty := httpapi.Refusal{Status: 422, Code: "required", When: "a word, a phrase or a query is missing or empty"}
	tooFew := httpapi.Refusal{Status: 422, Code: "too_few",
		When: "a group has less than two different phrases, or a rule in one direction has none but `from`"}
	tooMany := httpapi.Refusal{Status: 422, Code: "too_many", When: "a list has more elements than allowed"}
	tooLong := httpapi.Refusal{Status: 422, Code: "too_long",
		When: "a text has more characters, or a phrase more words, than allowed"}
	wrongType := httpapi.Refusal{Status: 422, Code: "wrong_type", When: "a member has another type than described"}
	invalidID := httpapi.Refusal{Status: 422, Code: "invalid_id", When: "the id of a product is not a UUID"}

	return openapi.Group(searchTag, "", map[string]httpapi.Route{
		"GET /v2/search/synonyms": {
			OperationID: "getSynonyms", Summary: "Read the synonyms", Response: Synonyms{}, HasETag: true,
			Description:      "The synonyms of the store.",
			ResponseExamples: examples(oneExample("Synonyms", exampleSynonyms())),
		},

		"PUT /v2/search/synonyms": {
			OperationID: "editSynonyms", Summary: "Edit the synonyms", Response: Synonyms{}, HasETag: true,
			Description: "Replaces the lists that are sent. Searches use them within seconds.",
			Body:        SynonymEdit{},
			BodyExamples: examples(bodyExample("Both lists", `{"groups":[["lamp","light","desk lamp"]],`+
				`"one_way":[{"from":"handset","to":["phone"]}]}`), bodyExample("No groups", `{"groups":[]}`)),
			ResponseExamples: examples(oneExample("The synonyms", exampleSynonyms())),
			Refusals:         []httpapi.Refusal{empty, tooFew, tooMany, tooLong, wrongType},
		},

		"GET /v2/search/pins": {
			OperationID: "getSearchPins", Summary: "Read the pins", Response: []SearchPin{}, HasETag: true,
			Description:      "The products that come first for some queries: all of them, without pages.",
			ResponseExamples: examples(oneExample("Pins", exampleSearchPins())),
		},

		"PUT /v2/search/pins": {
			OperationID: "replaceSearchPins", Summary: "Replace the pins", Response: []SearchPin{}, HasETag: true,
			Description: "Replaces all pins by those of the list, at most 10,000. The products of a pin come first " +
				"for exactly its query, in relevance order only. They are counted in the total and the facets, and " +
				"the filters apply to them.",
			Body: []SearchPin{},
			BodyExamples: examples(bodyExample("A pin", `[{"query":"shirt","products":["`+exampleShirtID+`"]}]`),
				bodyExample("No pins", `[]`)),
			ResponseExamples: examples(oneExample("The pins", exampleSearchPins())),
			Refusals: []httpapi.Refusal{empty, tooMany, tooLong, wrongType, invalidID,
				{Status: 422, Code: "duplicate",
					When: "the search reads two queries alike, or a pin names a product twice"},
				{Status: 422, Code: "unknown_product", When: "the store does not have a product"}},
		},

		"GET /v2/suggest": {
			OperationID: "suggest", Summary: "Suggest what a visitor may be typing", Response: Suggestions{},
			Description: "What the store has for a query that is being typed: what others searched for, products, " +
				"categories, and values of filterable features. The last word is a beginning. Typing errors, " +
				"the other keyboard layout and the other script are understood as in `GET /v2/products?q=`. Without " +
				"`q`, only what others search for most. Answered from memory.",
			QueryParams: []httpapi.Param{
				{Name: "q", Example: "кросс", Description: "What was typed, at most 1,024 bytes and 32 words."},
				{Name: "limit", Type: "integer", Example: "10",
					Description: "How many elements each list has at most, from 1 to 20. By default 10."},
			},
			ResponseExamples: examples(oneExample("Suggestions", exampleSuggestions())),
			Refusals: []httpapi.Refusal{{Status: 400, Code: "malformed_query",
				When: "`limit` is not from 1 to 20, or `q` is too long"}},
		},

		"GET /v2/search/queries": {
			OperationID: "listSearchQueries", Summary: "List what people search", Response: SearchQuery{}, Paged: true,
			Description: "What visitors searched for with publishable keys, by day: the newest day first, and in a " +
				"day what was asked most often. Only the first page of a search counts. Searches appear within 30 " +
				"seconds. They are kept for 400 days, at most 100,000 different ones of a day. Queries with an " +
				"e-mail address or with what may be a phone number are not kept, nor are those with more than 200 " +
				"characters.",
			QueryParams: []httpapi.Param{
				{Name: "from", Example: "2026-11-01",
					Description: "The first day, in the timezone of the store. By default all days that are kept."},
				{Name: "to", Example: "2026-11-14", Description: "The last day. By default today."},
				{Name: "found", Enum: []string{"none", "any"}, Example: "none",
					Description: "`none` leaves the queries that found nothing the last time."},
			},
			ResponseExamples: examples(listExample("One query", SearchQuery{Day: "2026-11-14", Query: "iphone 15",
				Count: 12, Found: 3, Clicks: 5, Orders: 1})),
		},

		"POST /v2/search/clicks": {
			OperationID: "countSearchClick", Summary: "Count a click on a result of a search", Status: 204,
			Description: "Counts that a visitor opened a product from the results of a search. The limits of public " +
				"writes do not apply: clicks are counted in memory and stored together every few seconds. A click " +
				"counts for the query if it was asked today and the store has the product, otherwise it is ignored.",
			Body: SearchClick{},
			BodyExamples: examples(bodyExample("A click",
				`{"query":"shirt","product_id":"`+exampleShirtID+`"}`)),
			Refusals: []httpapi.Refusal{empty, tooLong, wrongType, invalidID},
		},
	})
}

// Suggestions are what a store has for the beginning of a query.
type Suggestions struct {
	_ struct{} `doc:"What the store has for what was typed, the most relevant or the most frequent first."`

	Queries    []SuggestedQuery    `json:"queries" doc:"What others searched for, at least three times in the last 90 days, and found something."`
	Products   []SuggestedProduct  `json:"products"`
	Categories []SuggestedCategory `json:"categories" doc:"The categories whose names match."`
	Values     []SuggestedValue    `json:"values" doc:"The values of filterable features whose names match."`
}

// SuggestedQuery is a query that others asked.
type SuggestedQuery struct {
	Text  string `json:"text" doc:"The query, folded." example:"кроссовки nike"`
	Count int64  `json:"count" doc:"How often it was asked." minimum:"3" example:"42"`
}

// SuggestedProduct is a product that matches.
type SuggestedProduct struct {
	ID        schema.ID                       `json:"id"`
	Name      string                          `json:"name" example:"T-shirt"`
	Slug      schema.Nullable[string]         `json:"slug" doc:"The address of the product; null where it has none." example:"t-shirt"`
	Price     PriceSpan                       `json:"price"`
	Available schema.Nullable[schema.Decimal] `json:"available" doc:"As that of products." example:"7"`
	Image     schema.Nullable[ProductImage]   `json:"image" doc:"The first image; null where there is none."`
}

// SuggestedCategory is a category that matches.
type SuggestedCategory struct {
	ID    schema.ID               `json:"id"`
	Name  string                  `json:"name" example:"Shirts"`
	Slug  schema.Nullable[string] `json:"slug" doc:"The address of the category; null where it has none." example:"shirts"`
	Count int64                   `json:"count" doc:"How many products there are in it and in all below it." minimum:"1" example:"128"`
}

// SuggestedValue is a value that matches.
type SuggestedValue struct {
	FeatureID schema.ID `json:"feature_id"`
	ValueID   schema.ID `json:"value_id"`
	Name      string    `json:"name" example:"Cotton"`
	Count     int64     `json:"count" doc:"How many products have it." minimum:"1" example:"12"`
}

func exampleSuggestions() Suggestions {
	shirt := exampleShirt()
	return Suggestions{
		Queries: []SuggestedQuery{{Text: "shirt", Count: 42}},
		Products: []SuggestedProduct{{ID: shirt.ID, Name: shirt.Name, Price: shirt.Price, Available: shirt.Available,
			Image: schema.NotNull(shirt.Images[0])}},
		Categories: []SuggestedCategory{{ID: exampleID(exampleShirtsID), Name: "Shirts", Count: 1}},
		Values:     []SuggestedValue{},
	}
}
