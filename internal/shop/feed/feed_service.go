package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// Deps are the dependencies of the service.
type Deps struct {
	DB     *database.DB
	Stores *store.Service
	Vault  *vault.Vault
	Now    func() time.Time
}

// Service has the use cases of feeds. It is safe for concurrent use.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// tokenPurpose is the vault's purpose for feed keys, which are shown as part of addresses.
const tokenPurpose = "feed key"

// Authenticate returns the principal of a feed key, with its store, in one query. All invalid keys get the same fault,
// access.BadCredential.
func (s *Service) Authenticate(ctx context.Context, token string) (access.Principal, error) {
	if kind, err := access.ParseToken(token); err != nil || kind != access.FeedKey {
		return access.Principal{}, access.BadCredential()
	}

	row, err := database.ReadShort(ctx, s.DB, func(q database.Querier) (keyRow, error) {
		return selectKey(ctx, q, access.HashToken(token))
	})
	if errors.Is(err, database.ErrNoRows) {
		return access.Principal{}, access.BadCredential()
	}
	if err != nil {
		return access.Principal{}, fmt.Errorf("authenticate a feed: %w", err)
	}

	return access.Principal{Kind: access.FeedKey, Store: s.Stores.FromRow(&row.store), FeedName: row.name,
		Versions: &row.versions}, nil
}

// List returns one page of the feeds of the store by name, and their number.
func (s *Service) List(ctx context.Context, tx store.Tx, limit, offset int64) (_ []Feed, total int64, err error) {
	defer fault.AddContext(&err, "list the feeds of store %s", tx.StoreID())
	return s.selectFeeds(ctx, tx, limit, offset)
}

// Find returns a feed, or fault.NotFound.
func (s *Service) Find(ctx context.Context, tx store.Tx, name string) (_ Feed, err error) {
	defer fault.AddContext(&err, "find feed %s", name)
	return s.selectFeed(ctx, tx, name, "")
}

// Put creates a feed of the store shop, or replaces the definition of the feed with this name. It returns
// fault.Invalid naming each broken rule, fault.Stale, or fault.Conflict if the store has MaxFeeds.
func (s *Service) Put(
	ctx context.Context, tx store.Tx, shop store.Store, name string, e Edit, pre fault.Precondition,
) (f Feed, created bool, err error) {
	defer fault.AddContext(&err, "write feed %s", name)

	var wrong rule.Violations
	wrong.Check("", "name", checkName(name))
	e.Definition.check(&wrong)
	if err := wrong.Fault(); err != nil {
		return Feed{}, false, err
	}
	_, broken, err := newPlan(ctx, tx, shop, &e.Definition)
	if err != nil {
		return Feed{}, false, err
	}
	if err := fault.Fields(broken); err != nil {
		return Feed{}, false, err
	}

	count, err := lockFeeds(ctx, tx)
	if err != nil {
		return Feed{}, false, err
	}
	f, err = s.selectFeed(ctx, tx, name, "")
	switch {
	case err == nil:
		f, err = s.replace(ctx, tx, f, e, pre)
		return f, false, err
	case fault.KindOf(err) != fault.NotFound:
		return Feed{}, false, err
	}

	if err := pre.Check(0); err != nil {
		return Feed{}, false, err
	}
	if count >= MaxFeeds {
		return Feed{}, false, errTooManyFeeds()
	}
	f, err = s.create(ctx, tx, name, e.Definition)
	return f, true, err
}

// create stores a new feed.
func (s *Service) create(ctx context.Context, tx store.Tx, name string, d Definition) (Feed, error) {
	now := database.Moment(s.Now())
	f := Feed{Name: name, Definition: d, Token: access.NewToken(access.FeedKey), Version: 1, CreatedAt: now,
		UpdatedAt: now}
	if err := s.insertFeed(ctx, tx, &f); err != nil {
		return Feed{}, err
	}
	return f, audit.Record(ctx, tx, f.entry(audit.FeedCreated, new(Definition).changes(&d)...))
}

// replace stores another definition of a feed.
func (s *Service) replace(
	ctx context.Context, tx store.Tx, f Feed, e Edit, pre fault.Precondition,
) (Feed, error) {
	if err := pre.Check(f.Version); err != nil {
		return Feed{}, err
	}

	changes := f.Definition.changes(&e.Definition)
	if e.NewKey {
		f.Token = access.NewToken(access.FeedKey)
		changes = append(changes, audit.Change{Field: "key"})
	}
	if len(changes) == 0 {
		return f, nil
	}

	f.Definition = e.Definition
	f.Version++
	f.UpdatedAt = database.Moment(s.Now())
	if err := s.updateFeed(ctx, tx, &f); err != nil {
		return Feed{}, err
	}
	return f, audit.Record(ctx, tx, f.entry(audit.FeedEdited, changes...))
}

// Delete deletes a feed, whose key ends with it. It returns fault.NotFound or fault.Stale.
func (s *Service) Delete(ctx context.Context, tx store.Tx, name string, pre fault.Precondition) (err error) {
	defer fault.AddContext(&err, "delete feed %s", name)

	f, err := s.selectFeed(ctx, tx, name, tx.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.Check(f.Version); err != nil {
		return err
	}
	if err := deleteFeed(ctx, tx, name); err != nil {
		return err
	}
	return audit.Record(ctx, tx, f.entry(audit.FeedDeleted))
}
