package runapi

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/shop/exchange"
)

// Run is the JSON and the schema of a run with its first errors and warnings.
type Run struct {
	_ struct{} `doc:"The record of a push. The problem of a push that failed has it as its member run."`

	exchange.RunJSON
}

// TransformSchema implements huma.SchemaTransformer. It adds null to the enum of the outcome.
func (Run) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	outcome := s.Properties["outcome"]
	outcome.Nullable, outcome.Enum = true, append(outcome.Enum, nil)
	return s
}

// RunSummary is the JSON and the schema of a run in a list. Its Errors and WarningsList are nil.
type RunSummary struct {
	_ struct{} `doc:"A run without its errors and warnings."`

	exchange.RunJSON
}

// TransformSchema implements huma.SchemaTransformer. It removes the members that a summary does not have, and the
// descriptions, which are in the schema of Run.
func (RunSummary) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	lists := []string{"errors", "warnings_list"}
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return slices.Contains(lists, name) })
	for _, name := range lists {
		delete(s.Properties, name)
	}
	for _, p := range s.Properties {
		p.Description = ""
	}
	return Run{}.TransformSchema(nil, s)
}
