package account

import (
	"context"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// failureLogInterval is the shortest time between two entries of the log about failed sign-ins of an account, so that
// nobody can fill the log by guessing. The failures between them are counted.
const failureLogInterval = time.Hour

// logFailure stores a failed sign-in of a locked account in the logs of its stores: at once if the last entry is an
// hour old, otherwise with the next entry or the next sign-in.
func (s *Sessions) logFailure(
	ctx context.Context, q database.Querier, a loginAccount, source string, now time.Time,
) error {
	failures := a.unloggedFailures + 1
	if now.Sub(a.failuresLoggedAt) < failureLogInterval {
		return updateFailureLog(ctx, q, a.ID, failures, a.failuresLoggedAt)
	}
	return s.writeFailures(ctx, q, a, failures, source, now)
}

// logFailuresBefore stores the failures that were counted since the last entry before a sign-in that succeeds.
func (s *Sessions) logFailuresBefore(ctx context.Context, q database.Querier, a loginAccount, now time.Time) error {
	if a.unloggedFailures == 0 {
		return nil
	}
	return s.writeFailures(ctx, q, a, a.unloggedFailures, "", now)
}

// writeFailures writes an entry about failed sign-ins to the log of every store of the account.
func (s *Sessions) writeFailures(
	ctx context.Context, q database.Querier, a loginAccount, failures int64, source string, now time.Time,
) error {
	operators, err := selectAccountOperators(ctx, q, a.ID)
	if err != nil {
		return err
	}

	changes := []audit.Change{{Field: "failures", To: strconv.FormatInt(failures, 10)}}
	if network, ok := strings.CutPrefix(source, networkSource("")); ok && network != "" {
		changes = append(changes, audit.Change{Field: "network", To: network})
	}

	for _, o := range operators {
		if !o.Active() {
			continue
		}
		tx := store.In(q, o.StoreID).By(store.Actor{Kind: store.ByStranger}, now)
		err := audit.Record(ctx, tx, o.AccountEntry(audit.AccountSignInFailed, changes...))
		if err != nil {
			return err
		}
	}

	return updateFailureLog(ctx, q, a.ID, 0, now)
}
