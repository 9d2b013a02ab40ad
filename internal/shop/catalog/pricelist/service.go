package pricelist

import "vitrine/internal/shop/catalog"

// Service has the use cases of price lists and customer groups.
type Service struct {
	Lists  *Lists
	Groups *Groups
}

// Lists has the use cases of price lists.
type Lists struct{ *catalog.Core }

// Groups has the use cases of customer groups.
type Groups struct{ *catalog.Core }

// New returns the use cases.
func New(core *catalog.Core) *Service { return &Service{Lists: &Lists{core}, Groups: &Groups{core}} }
