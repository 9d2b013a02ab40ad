package runapi

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/shop/exchange"
)

// Run is a run with its first errors and warnings, as it is marshalled and documented.
type Run struct {
	_ struct{} `doc:"The record of a push. The problem of a push that failed has it as its member run."`

	exchange.RunJSON
}

// RunSummary is a run in a list, as it is marshalled and documented. Its Errors and WarningsList are nil.
type RunSummary struct {
	_ struct{} `doc:"A run without its errors and warnings."`

	exchange.RunJSON
}

// TransformSchema implements huma.SchemaTransformer: a summary has no lists, and Run says what its members mean.
func (RunSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	lists := []string{"errors", "warnings_list"}
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(lists, name) })
	for _, name := range lists {
		delete(s.Properties, name)
	}
	for _, p := range s.Properties {
		p.Description = ""
	}
	return s
}
