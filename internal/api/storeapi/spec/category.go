package spec

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/kit/schema"
)

// Category is a category in responses.
type Category struct {
	_ struct{} `doc:"A shelf of the shop. Categories form a tree of any depth."`

	ID            schema.ID                     `json:"id"`
	ExternalID    schema.Nullable[string]       `json:"external_id" doc:"Its id in another system, unique among the categories of the store." example:"1C-CAT-7"`
	Name          string                        `json:"name" example:"T-shirts"`
	Slug          schema.Nullable[string]       `json:"slug" doc:"Its address in the shop, unique among the categories of the store. null only for a short time after an upgrade, until a category that was made before has got one." example:"t-shirts"`
	SEO           SEO                           `json:"seo"`
	Description   string                        `json:"description" doc:"Plain text; empty where there is none." example:"Of heavy cotton, for every day."`
	Image         schema.Nullable[ProductImage] `json:"image" doc:"Its picture; null without one. Where its alt is null, the name of the category stands for it."`
	ParentID      schema.Nullable[schema.ID]    `json:"parent_id" doc:"The category that it lies in; null at the root."`
	CreatedAt     schema.Date                   `json:"created_at"`
	UpdatedAt     schema.Date                   `json:"updated_at" doc:"When the category was last written. Moving up because its parent was deleted changes its ETag, not this."`
	CanonicalSlug string                        `json:"canonical_slug,omitzero" doc:"Only where it is read by a slug: its present slug, which may be another one than that of the request." example:"t-shirts"`
}

// NewCategory is the body that creates a category.
type NewCategory struct {
	Name        openapi.NameInput                        `json:"name"`
	Slug        schema.Nullable[openapi.SlugInput]       `json:"slug,omitempty" doc:"Its address in the shop. Without it, or with null, one is made of the name."`
	SEO         schema.Nullable[openapi.SEOInput]        `json:"seo,omitempty"`
	Description schema.Nullable[string]                  `json:"description,omitempty" doc:"Plain text of at most 65,536 characters; null is the same as empty."`
	Image       schema.Nullable[RefInput]                `json:"image,omitempty" doc:"Its picture: an image that was uploaded and belongs to nothing."`
	ExternalID  schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system, unique among the categories of the store; taken by another one it is 409."`
	ParentID    schema.Nullable[schema.ID]               `json:"parent_id,omitempty" doc:"The category that it lies in; null, the default, puts it at the root."`
}

// CategoryEdit is the body that edits a category.
type CategoryEdit struct {
	Name        openapi.NameInput                        `json:"name,omitempty"`
	Slug        schema.Nullable[openapi.SlugInput]       `json:"slug,omitempty" doc:"Its address in the shop; null makes a new one of the name. The former one keeps leading to the category. Without the member it stays, also when the name changes."`
	SEO         schema.Nullable[openapi.SEOInput]        `json:"seo,omitempty" doc:"All of it: a member that is left out becomes empty."`
	Description schema.Nullable[string]                  `json:"description,omitempty" doc:"Plain text of at most 65,536 characters; null empties it."`
	Image       schema.Nullable[RefInput]                `json:"image,omitempty" doc:"Its picture: its present one, or an image that was uploaded and belongs to nothing; null takes it away. The one before belongs to nothing then. Without the member it stays."`
	ExternalID  schema.Nullable[openapi.ExternalIDInput] `json:"external_id,omitempty" doc:"Its id in another system; null takes it away. Taken by another category it is 409."`
	ParentID    schema.Nullable[schema.ID]               `json:"parent_id,omitempty" doc:"The category to move it into, with all that is below it; null moves it to the root. It may be neither the category itself nor one below it."`
}

const (
	exampleClothesID = "019a8269-cf60-7d01-8fa0-1f2a3b4c5d01"
	exampleShirtsID  = "019a8269-cf60-7d02-90b1-2a3b4c5d6e02"
)

func exampleClothes() Category {
	return Category{ID: exampleID(exampleClothesID), Name: "Clothes", Slug: schema.NotNull("clothes"),
		CreatedAt: exampleDate(), UpdatedAt: exampleDate()}
}

func exampleShirts() Category {
	return Category{
		ID: exampleID(exampleShirtsID), ExternalID: schema.NotNull("1C-CAT-7"), Name: "T-shirts",
		Slug:      schema.NotNull("t-shirts"),
		ParentID:  schema.NotNull(exampleID(exampleClothesID)),
		CreatedAt: exampleDate(), UpdatedAt: exampleDate(),
	}
}

func exampleShirtsBySlug() Category {
	c := exampleShirts()
	c.CanonicalSlug = "t-shirts"
	return c
}

// slugParam describes the parameter of the path of a thing that is read by its address.
func slugParam(noun string) []httpapi.Param {
	return []httpapi.Param{{Name: "slug", Example: "t-shirt",
		Description: "The present slug of the " + noun + " or a former one, as it is written in lower case."}}
}

// categoryOrStockRefusals returns the refusals of requests that write a category or a stock, and appends those in
// more.
func categoryOrStockRefusals(noun string, more ...httpapi.Refusal) []httpapi.Refusal {
	return append([]httpapi.Refusal{
		{Status: 409, Code: "external_id_taken", When: "another " + noun +
			" of the store has that `external_id`; those of other things do not count"},
		{Status: 422, Code: "required", When: "the `name` of a new " + noun +
			" is missing, or a name or `external_id` is empty"},
		{Status: 422, Code: "too_long", When: "the name or the `external_id` has more than 255 characters"},
		{Status: 422, Code: "wrong_type", When: "a member has another type than described"},
	}, more...)
}

func categoryDocs() map[string]httpapi.Route {
	unknown := httpapi.Refusal{Status: 422, Code: "unknown_category",
		When: "`parent_id` is not that of a category of this store"}
	cycle := httpapi.Refusal{Status: 422, Code: "category_cycle",
		When: "`parent_id` is the category itself or one that lies below it"}
	invalidSlug := httpapi.Refusal{Status: 422, Code: "invalid_slug",
		When: "`slug` has other characters than a-z, 0-9 and hyphens, or more than 200"}
	slugTaken := httpapi.Refusal{Status: 422, Code: "slug_taken", When: "another category has the `slug` at present"}
	unknownImage := httpapi.Refusal{Status: 422, Code: "unknown_image",
		When: "`image` is not the id of an image of this store"}
	imageTaken := httpapi.Refusal{Status: 422, Code: "image_taken",
		When: "`image` belongs to a product, a variant or another category"}
	malformed := httpapi.Refusal{Status: 422, Code: "invalid_id", When: "`parent_id` is not a UUID"}

	return openapi.Group(categoryTag, "category", map[string]httpapi.Route{
		"GET /v2/categories": {
			OperationID: "listCategories", Summary: "List categories", Response: Category{}, Paged: true,
			Description: "The categories of the store. Siblings are in their order: as people arranged them in the " +
				"administration, and the others as they were made. All of them, " +
				"or with `parent_id` one level of the tree. " +
				"To read the whole tree, read all pages and join by `parent_id`.",
			QueryParams: []httpapi.Param{
				{Name: "parent_id", Example: "root",
					Description: "The id of a category leaves only its children, " +
						"one level deep; `root` leaves only those without a parent. Other text is 400."},
				searchParam("the name"),
			},
			ResponseExamples: examples(listExample("All", exampleClothes(), exampleShirts()),
				listExample("With parent_id=root", exampleClothes())),
			Refusals: []httpapi.Refusal{unknown},
		},
		"POST /v2/categories": {
			OperationID: "createCategory", Summary: "Create a category", Status: 201, Response: Category{},
			HasETag: true,
			Description: "Creates a category, at the root or inside another one. Only `name` is required; two " +
				"categories may have the same name.",
			Body: NewCategory{},
			BodyExamples: examples(bodyExample("Inside another one",
				`{"name":"T-shirts","external_id":"1C-CAT-7","parent_id":"`+exampleClothesID+`"}`),
				bodyExample("At the root", `{"name":"Clothes"}`)),
			ResponseExamples: examples(oneExample("The category", exampleShirts())),
			Refusals: categoryOrStockRefusals("category", unknown, malformed, invalidSlug, slugTaken,
				unknownImage, imageTaken),
		},
		"GET /v2/categories/{id}": {
			OperationID: "getCategory", Summary: "Read a category", Response: Category{}, HasETag: true,
			Description:      "One category. Its children are `GET /v2/categories?parent_id={id}`.",
			ResponseExamples: examples(oneExample("The category", exampleShirts())),
		},
		"GET /v2/categories/by-slug/{slug}": {
			OperationID: "getCategoryBySlug", Summary: "Read a category by its address", Response: Category{},
			HasETag: true,
			Description: "The category that has the slug, or had it before. `canonical_slug` is its present one: " +
				"where it differs from the one in the path, a shop redirects to it.",
			PathParams:       slugParam("category"),
			ResponseExamples: examples(oneExample("The category", exampleShirtsBySlug())),
		},
		"PUT /v2/categories/{id}": {
			OperationID: "editCategory", Summary: "Edit or move a category", Response: Category{}, HasETag: true,
			Description: "Changes the members that are sent. A new `parent_id` moves the category with all that is " +
				"below it; `null` moves it to the root. " +
				"A category may not become its own ancestor, also where two requests move categories at the same " +
				"moment.",
			Body: CategoryEdit{},
			BodyExamples: examples(bodyExample("Another name", `{"name":"Tees"}`),
				bodyExample("To the root", `{"parent_id":null}`)),
			ResponseExamples: examples(oneExample("The category", exampleShirts())),
			Refusals: categoryOrStockRefusals("category", unknown, cycle, malformed, invalidSlug,
				slugTaken,
				unknownImage, imageTaken),
		},
		"DELETE /v2/categories/{id}": {
			OperationID: "deleteCategory", Summary: "Delete a category",
			Description: "Deletes the category. Its products lose it and stay; its children move up to its parent, " +
				"or to the root. Its image is deleted, nothing else. " +
				"The ETags of those products and children change, their `updated_at` does not. The request has no " +
				"body.",
		},
	})
}
