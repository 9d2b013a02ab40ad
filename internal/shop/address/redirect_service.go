package address

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// Service implements the operations on redirects. It is safe for concurrent use.
type Service struct{ now func() time.Time }

// New returns a service that takes the time from now.
func New(now func() time.Time) *Service { return &Service{now} }

// ListRedirects returns one page of the redirects of the store by their paths, and their number.
func (s *Service) ListRedirects(
	ctx context.Context, tx store.Tx, limit, offset int64,
) (list []Redirect, total int64, err error) {
	defer fault.AddContext(&err, "list the redirects of store %s", tx.StoreID())
	return selectRedirects(ctx, tx, limit, offset)
}

// CreateRedirect creates a redirect of the store shop. It returns fault.Invalid if a rule is broken or if the redirect
// would be part of a loop, and fault.Conflict if one begins at its path already, or if the store has MaxRedirects.
func (s *Service) CreateRedirect(
	ctx context.Context, tx store.Tx, shop store.Store, e RedirectEdit,
) (_ Redirect, err error) {
	defer fault.AddContext(&err, "create a redirect")

	from, to, err := e.check(shop)
	if err != nil {
		return Redirect{}, err
	}

	count, err := addToCount(ctx, tx, 1) // locks out others who change redirects, so that no two of them make a loop
	if err != nil {
		return Redirect{}, err
	}
	if count > MaxRedirects {
		return Redirect{}, errTooManyRedirects()
	}

	target := to
	next, err := findTarget(ctx, tx, to.key)
	switch {
	case err == nil:
		target = next
	case !errors.Is(err, database.ErrNoRows):
		return Redirect{}, err
	}
	loops, err := leadsTo(ctx, tx, shop, target, from)
	if err != nil {
		return Redirect{}, err
	}
	if loops || to.key == from {
		return Redirect{}, errLoop()
	}

	r := Redirect{ID: id.New[Redirect](), From: from, To: to.to, CreatedAt: database.Moment(s.now())}
	inserted, err := insertRedirect(ctx, tx, r, to, target)
	if err != nil {
		return Redirect{}, err
	}
	if !inserted {
		return Redirect{}, errRedirectExists(from)
	}
	if err := replaceTarget(ctx, tx, from, target); err != nil {
		return Redirect{}, err
	}

	if err := audit.Record(ctx, tx, r.entry(audit.RedirectCreated)); err != nil {
		return Redirect{}, err
	}
	return r, nil
}

// maxHops is the number of redirects that are followed one by one: those to addresses that have become ones of the
// site. Chains of others are stored with their ends.
const maxHops = 10

// leadsTo reports whether the chain of redirects that begins at a destination leads to a path, or does not end within
// maxHops.
func leadsTo(ctx context.Context, tx store.Tx, shop store.Store, at destination, path string) (bool, error) {
	for range maxHops {
		key := at.keyOn(shop)
		if key == "" || key == path {
			return key == path, nil
		}

		next, err := findTarget(ctx, tx, key)
		if errors.Is(err, database.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		at = next
	}
	return true, nil
}

// DeleteRedirect deletes a redirect, or returns fault.NotFound. Redirects that led to it lead to its path from then on.
func (s *Service) DeleteRedirect(ctx context.Context, tx store.Tx, redirectID RedirectID) (err error) {
	defer fault.AddContext(&err, "delete redirect %s", redirectID)

	if _, err := addToCount(ctx, tx, -1); err != nil {
		return err
	}
	r, err := deleteRedirect(ctx, tx, redirectID)
	if err != nil {
		return err
	}
	if err := restoreTargets(ctx, tx, r.From); err != nil {
		return err
	}

	return audit.Record(ctx, tx, r.entry(audit.RedirectDeleted))
}
