// Package transfer moves a whole store from one installation to another: it exports a store as one archive and imports
// it, also from one engine to the other. It knows all tables of a store and what their columns are, so it also removes
// stores and replaces the secret key of a database.
package transfer

import (
	"context"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Service exports and imports stores.
type Service struct{ Deps }

// Deps holds the dependencies of a Service.
type Deps struct {
	DB    *database.DB
	Blobs blob.Store
	Vault *vault.Vault
	Now   func() time.Time
	// Program is the version of this program.
	Program string
	// Progress is called from time to time; it may be nil.
	Progress func(Progress)
}

// New returns a Service.
func New(d Deps) *Service { return &Service{d} }

// Progress says how far an export or an import is.
type Progress struct {
	Images int64
	Rows   int64
	// Table is the table whose rows are read or written, or empty.
	Table string
}

// Summary says what an export or an import had.
type Summary struct {
	StoreID store.ID   `json:"store_id"`
	Name    string     `json:"name"`
	Rows    int64      `json:"rows"`
	Images  ImageCount `json:"images"`
	// Lost counts what had secrets that could not be opened, by the keys of LostTexts.
	Lost map[string]int64 `json:"lost,omitempty"`
}

func (s *Service) report(p Progress) {
	if s.Progress != nil {
		s.Progress(p)
	}
}

// record writes an entry to the log of the store.
func (s *Service) record(ctx context.Context, tx store.Tx, action audit.Action, name string) error {
	return audit.Record(ctx, tx.By(store.Actor{Kind: store.ByCommand}, s.Now()),
		audit.Entry{Action: action, Object: audit.Object{Kind: "settings", Label: name}})
}
