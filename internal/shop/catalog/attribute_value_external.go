package catalog

import (
	"context"
	"fmt"

	"vitrine/internal/kit/database"
)

// externalIDClaim is the external id that the i-th element of an edit's values sets on a value. "" removes the value's
// external id.
type externalIDClaim struct {
	i          int
	id         ValueID
	added      bool // the value is new
	externalID string
}

// writeClaims sets the external ids of the chunk's existing values, or returns fault.Conflict. Two values may swap
// their external ids, so it first clears those of all claiming values.
func (c *valueWriter) writeClaims(ctx context.Context) error {
	var existing []ValueID
	for _, cl := range c.claims {
		if !cl.added {
			existing = append(existing, cl.id)
		}
	}
	if len(existing) == 0 {
		return nil
	}
	keys, err := valueKeysByID(ctx, c.tx, c.a.Key, existing)
	if err != nil {
		return err
	}
	released, names := database.NewBatch(database.BigInt), database.NewBatch(database.Text)
	given := database.NewBatch(database.BigInt, database.Text)
	for _, cl := range c.claims {
		if cl.added {
			continue
		}
		released.Add(keys[cl.id])
		if cl.externalID != "" {
			names.Add(cl.externalID)
			given.Add(keys[cl.id], cl.externalID)
		}
	}
	if err := clearValueExternalIDs(ctx, c.tx, released); err != nil {
		return err
	}
	if err := c.checkClaims(ctx, names); err != nil {
		return err
	}
	return setValueExternalIDs(ctx, c.tx, given)
}

// checkClaims returns fault.Conflict naming the elements whose external id belongs to another value or to an earlier
// element of the chunk.
func (c *valueWriter) checkClaims(ctx context.Context, names *database.Batch) error {
	held, err := takenValueExternalIDs(ctx, c.tx, c.a.Key, names)
	if err != nil {
		return err
	}
	return c.claimConflict(func(cl externalIDClaim) bool {
		if cl.added {
			return false
		}
		was := held[cl.externalID]
		held[cl.externalID] = true
		return was
	})
}

// writeAdded inserts the new values of a chunk. ON CONFLICT skips values whose external id is taken, and writeAdded
// returns fault.Conflict naming them. A query for taken external ids beforehand would be slow: PostgreSQL has no
// statistics for rows that the same transaction has inserted.
func (c *valueWriter) writeAdded(ctx context.Context) error {
	if len(c.claims) == 0 {
		return insertValues(ctx, c.tx, c.a.Key, c.added, c.at)
	}
	written, err := insertValuesIfFree(ctx, c.tx, c.a.Key, c.added, c.at)
	if err != nil {
		return err
	}
	return c.claimConflict(func(cl externalIDClaim) bool { return cl.added && !written[cl.id] })
}

// claimConflict returns fault.Conflict naming the elements of the chunk whose claims are taken, or nil if there are
// none.
func (c *valueWriter) claimConflict(is func(externalIDClaim) bool) error {
	var places []string
	for _, cl := range c.claims {
		if cl.externalID != "" && is(cl) {
			places = append(places, fmt.Sprintf("values[%d].external_id", cl.i))
		}
	}
	if len(places) == 0 {
		return nil
	}
	return externalIDsTaken(places, "value of this "+c.a.Kind.Noun())
}
