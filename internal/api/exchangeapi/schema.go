package exchangeapi

import "vitrine/internal/api/httpapi/openapi"

// The types below document bodies and answers. Nothing is decoded into them or encoded from them.

// Push is the body of a push.
type Push[Item any] struct {
	Payload []Item `json:"payload" doc:"The items, any number of them."`
}

// PushedProduct is one product of a push.
type PushedProduct struct {
	_ struct{} `doc:"A product. A member that is absent leaves that part of the product alone; one that is present replaces it. Only id is needed, and name when the product is new."`

	ID            openapi.ExternalIDInput              `json:"id" doc:"What the product is called in your system. The same id updates."`
	Name          openapi.NameInput                    `json:"name,omitempty"`
	Description   openapi.Nullable[string]             `json:"description,omitempty" doc:"At most 65,536 characters."`
	SingleVariant bool                                 `json:"single_variant,omitempty" doc:"Builds one variant from the members variant_…; variants is not looked at then."`
	VariantName   openapi.Nullable[string]             `json:"variant_name,omitempty"`
	VariantPrice  openapi.Money                        `json:"variant_price,omitempty" doc:"A new variant without one is applied with the price 0 and a warning no_price."`
	VariantSKU    openapi.Nullable[string]             `json:"variant_sku,omitempty"`
	VariantLeft   []PushedRemainder                    `json:"variant_remainders,omitempty"`
	VariantOption []PushedReference                    `json:"variant_options,omitempty"`
	Variants      []PushedVariant                      `json:"variants,omitempty" doc:"All variants of the product; one that is not among them is archived, and comes back with its id when it is pushed again."`
	Features      []PushedReference                    `json:"features,omitempty" doc:"All features of the product, by your ids. What is not known yet is linked when it arrives."`
	Categories    []openapi.ExternalIDInput            `json:"categories,omitempty" doc:"All categories of the product, by your ids."`
	Images        []openapi.OneOf[string, PushedImage] `json:"images,omitempty" doc:"Addresses to download from after the answer, or images that were uploaded before."`
	ImagesMode    string                               `json:"images_mode,omitempty" enum:"add,replace,remove" default:"add" doc:"add keeps the images that are there, replace takes them away, remove deletes all and ignores the new ones."`
	Modifiers     openapi.Nullable[[]map[string]any]   `json:"modifiers,omitempty" doc:"Groups {id, name, min, max, required, items: [{id, name, price}]}; what else they hold is kept and given back."`
}

// PushedVariant is one variant of a pushed product.
type PushedVariant struct {
	ID         openapi.ExternalIDInput  `json:"id" doc:"What the variant is called in your system, among those of its product."`
	Name       openapi.Nullable[string] `json:"name,omitempty"`
	SKU        openapi.Nullable[string] `json:"sku,omitempty"`
	Price      openapi.Money            `json:"price,omitempty" doc:"A new variant without one is applied with the price 0 and a warning no_price."`
	Remainders []PushedRemainder        `json:"remainders,omitempty" doc:"All remainders of the variant."`
	Options    []PushedReference        `json:"options,omitempty" doc:"All options of the variant, by your ids."`
}

// PushedRemainder is what a stock has of a variant.
type PushedRemainder struct {
	StockID  openapi.ExternalIDInput `json:"stock_id" doc:"What the stock is called in your system. One that is not known is created with its id as its name."`
	Quantity openapi.Decimal         `json:"quantity" doc:"How much there is: at most 9 digits before the point and 3 decimals, and not negative."`
}

// PushedReference names a value of an option or a feature.
type PushedReference struct {
	ID      openapi.ExternalIDInput `json:"id" doc:"Your id of the option or feature."`
	ValueID openapi.ExternalIDInput `json:"value_id" doc:"Your id of its value."`
}

// PushedImage names an image.
type PushedImage struct {
	URL string     `json:"url,omitempty" doc:"Where to download it from." example:"https://accounting.example/lamp.jpg"`
	ID  openapi.ID `json:"id,omitempty" doc:"An image that was uploaded and belongs to nothing; one that has an owner is ignored with a warning."`
}

// PushedOption is one variant option of a push.
type PushedOption struct {
	ID            openapi.ExternalIDInput   `json:"id"`
	Name          openapi.NameInput         `json:"name,omitempty" doc:"Needed when the option is new."`
	Values        []PushedValue             `json:"values,omitempty" doc:"Values to add or rename, by your ids; others stay."`
	RemovedValues []openapi.ExternalIDInput `json:"removed_values,omitempty" doc:"Values to take away, by your ids. Variants that have one lose the option."`
}

// PushedFeature is one feature of a push.
type PushedFeature struct {
	ID            openapi.ExternalIDInput   `json:"id"`
	Name          openapi.NameInput         `json:"name,omitempty" doc:"Needed when the feature is new."`
	Filterable    bool                      `json:"filterable,omitempty" doc:"Absent, it stays as the store has it."`
	FieldType     string                    `json:"field_type,omitempty" enum:"select,range" doc:"select if it is new and this is absent."`
	RangeType     string                    `json:"range_type,omitempty" enum:"float,integer" doc:"Only with range; float if it is new and this is absent."`
	Values        []PushedValue             `json:"values,omitempty" doc:"Values to add or rename, by your ids; others stay."`
	RemovedValues []openapi.ExternalIDInput `json:"removed_values,omitempty" doc:"Values to take away, by your ids. Products that have one lose it."`
}

// PushedValue is a value of a pushed option or feature.
type PushedValue struct {
	ID   openapi.ExternalIDInput `json:"id"`
	Name openapi.NameInput       `json:"name"`
}

// PushedCategory is one category of a push.
type PushedCategory struct {
	ID       openapi.ExternalIDInput                   `json:"id"`
	Name     openapi.NameInput                         `json:"name,omitempty" doc:"Needed when the category is new."`
	ParentID openapi.Nullable[openapi.ExternalIDInput] `json:"parent_id,omitempty" doc:"Your id of the category above; null puts it at the top, absent leaves it where it is."`
}

// PushedStock is one stock of a push.
type PushedStock struct {
	ID   openapi.ExternalIDInput `json:"id"`
	Name openapi.NameInput       `json:"name,omitempty" doc:"Needed when the stock is new."`
}

// PushedQuantity is one remainder of a push.
type PushedQuantity struct {
	VariantID openapi.ExternalIDInput                   `json:"variant_id" doc:"Your id of the variant; of a product that was pushed with single_variant, that of the product."`
	ProductID openapi.Nullable[openapi.ExternalIDInput] `json:"product_id,omitempty" doc:"Your id of its product; needed where variants of several products have that id."`
	StockID   openapi.ExternalIDInput                   `json:"stock_id"`
	Quantity  openapi.Decimal                           `json:"quantity" doc:"How much there is: at most 9 digits before the point and 3 decimals, and not negative."`
}

// PushedPrice is one price of a push.
type PushedPrice struct {
	VariantID openapi.ExternalIDInput                   `json:"variant_id" doc:"Your id of the variant; of a product that was pushed with single_variant, that of the product."`
	ProductID openapi.Nullable[openapi.ExternalIDInput] `json:"product_id,omitempty" doc:"Your id of its product; needed where variants of several products have that id."`
	Price     openapi.Money                             `json:"price"`
}

// Run is the record of a push, as it is read.
type Run struct {
	_ struct{} `doc:"The record of a push. The problem of a push that failed has it as its member run."`

	ID            openapi.ID                           `json:"id"`
	Entity        string                               `json:"entity" enum:"products,variant-options,features,categories,stocks,remainders,prices" doc:"What was pushed: the last part of the path."`
	Status        string                               `json:"status" enum:"queued,running,completed,failed" doc:"A failed one has applied what its counts say."`
	Received      int64                                `json:"received" doc:"How many items were read."`
	Created       int64                                `json:"created"`
	Updated       int64                                `json:"updated"`
	Unchanged     int64                                `json:"unchanged" doc:"Items equal to what was last pushed: nothing was written."`
	Failed        int64                                `json:"failed" doc:"Items of which nothing was applied."`
	Warnings      int64                                `json:"warnings" doc:"How many warnings there are."`
	StartedAt     openapi.Nullable[openapi.DateObject] `json:"started_at"`
	FinishedAt    openapi.Nullable[openapi.DateObject] `json:"finished_at"`
	DurationMS    openapi.Nullable[int64]              `json:"duration_ms"`
	Errors        []RunNote                            `json:"errors" doc:"The first 1,000 errors. All of them are under /errors of the run."`
	WarningsList  []RunNote                            `json:"warnings_list" doc:"The first 1,000 warnings. All of them are under /warnings of the run."`
	IgnoredFields []string                             `json:"ignored_fields" doc:"Members that nobody here knows, each once, so that a typo is seen."`
	Archived      int64                                `json:"archived" doc:"Products that were archived because they were missing (archive_missing)."`
	Reverted      int64                                `json:"reverted" doc:"How many of those were brought back."`
	Atomic        bool                                 `json:"atomic"`
	DryRun        bool                                 `json:"dry_run" doc:"Whether all of this only would have been done."`
	Problem       openapi.Nullable[RunProblem]         `json:"problem" doc:"Why it failed; null if it did not."`
}

// RunSummary is a run in a list.
type RunSummary struct {
	_ struct{} `doc:"A run without its errors and warnings."`

	ID            openapi.ID                           `json:"id"`
	Entity        string                               `json:"entity" enum:"products,variant-options,features,categories,stocks,remainders,prices"`
	Status        string                               `json:"status" enum:"queued,running,completed,failed"`
	Received      int64                                `json:"received"`
	Created       int64                                `json:"created"`
	Updated       int64                                `json:"updated"`
	Unchanged     int64                                `json:"unchanged"`
	Failed        int64                                `json:"failed"`
	Warnings      int64                                `json:"warnings"`
	StartedAt     openapi.Nullable[openapi.DateObject] `json:"started_at"`
	FinishedAt    openapi.Nullable[openapi.DateObject] `json:"finished_at"`
	DurationMS    openapi.Nullable[int64]              `json:"duration_ms"`
	IgnoredFields []string                             `json:"ignored_fields"`
	Archived      int64                                `json:"archived"`
	Reverted      int64                                `json:"reverted"`
	Atomic        bool                                 `json:"atomic"`
	DryRun        bool                                 `json:"dry_run"`
	Problem       openapi.Nullable[RunProblem]         `json:"problem"`
}

// RunProblem is why a push failed.
type RunProblem struct {
	Code    string `json:"code" example:"archive_refused"`
	Message string `json:"message"`
}

// RunNote is one error or warning of a run.
type RunNote struct {
	_ struct{} `doc:"What there is to say of an item."`

	Index   int64                    `json:"index" doc:"Which item of the push, from 0."`
	ID      openapi.Nullable[string] `json:"id" doc:"Your id of it; null if it cannot be read."`
	Field   string                   `json:"field" doc:"The place in the item; empty for the item itself." example:"variants[1].price"`
	Code    string                   `json:"code" doc:"A stable snake_case word." example:"required"`
	Message string                   `json:"message"`
}
