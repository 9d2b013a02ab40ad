package spec

import "vitrine/internal/api/httpapi/openapi"

// ProductMeta is the meta of a list of products.
type ProductMeta struct {
	_ struct{} `doc:"Where in the list this page stands, and with with=facets what the whole list can be filtered by."`

	CurrentPage int64   `json:"current_page" doc:"The number of this page, from 1." minimum:"1" example:"1"`
	PerPage     int64   `json:"per_page" doc:"How many elements a page has at most." minimum:"1" maximum:"250" example:"50"`
	LastPage    int64   `json:"last_page" doc:"The number of the last page; 1 when there is nothing. A page past it is empty." minimum:"1" example:"3"`
	Total       int64   `json:"total" doc:"How many elements the whole list has." minimum:"0" example:"107"`
	Facets      *Facets `json:"facets,omitempty" doc:"Present with with=facets."`
}

// Facets is what a list of products can be filtered by.
type Facets struct {
	_ struct{} `doc:"What the products can be filtered by, with the number of products that each choice would leave. The counts of a facet ignore the selection inside it and respect all others, so that a shopper can tick a second value. What counts nothing is left out, unless it is selected."`

	Features   []FeatureFacet               `json:"features" doc:"The filterable features, in the order of their making."`
	Options    []OptionFacet                `json:"options" doc:"The variant options, in the order of their making."`
	Categories []CategoryFacet              `json:"categories" doc:"The categories; each counts its subtree."`
	Price      openapi.Nullable[PriceRange] `json:"price" doc:"From the lowest to the highest price that fits all other filters; null without any."`
}

// FeatureFacet is a feature that products can be filtered by.
type FeatureFacet struct {
	ID        openapi.ID                     `json:"id" doc:"The id of the feature."`
	Name      string                         `json:"name" example:"Material"`
	FieldType FieldType                      `json:"field_type"`
	Values    []FacetValue                   `json:"values" doc:"Empty for a range feature."`
	Range     openapi.Nullable[FeatureRange] `json:"range" doc:"Of a range feature: its least and greatest number; null for a select feature, and where no product has a number."`
}

// OptionFacet is an option that products can be filtered by.
type OptionFacet struct {
	ID     openapi.ID   `json:"id" doc:"The id of the option."`
	Name   string       `json:"name" example:"Size"`
	Values []FacetValue `json:"values"`
}

// FacetValue is one choice.
type FacetValue struct {
	ID    openapi.ID `json:"id"`
	Name  string     `json:"name" example:"XL"`
	Count int64      `json:"count" doc:"How many products there would be." minimum:"0" example:"42"`
}

// CategoryFacet is a category with the number of products in it and below it.
type CategoryFacet struct {
	ID    openapi.ID `json:"id"`
	Name  string     `json:"name" example:"Shirts"`
	Count int64      `json:"count" doc:"How many products there are in it and in all below it." minimum:"0" example:"128"`
}

// FeatureRange is the span of a range feature.
type FeatureRange struct {
	Min openapi.Decimal `json:"min" example:"0.2"`
	Max openapi.Decimal `json:"max" example:"1.5"`
}

// PriceRange is the span of prices.
type PriceRange struct {
	Min openapi.Money `json:"min"`
	Max openapi.Money `json:"max"`
}
