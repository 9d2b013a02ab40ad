package catalog

import (
	"context"
	"fmt"

	"vitrine/internal/kit/database"
)

// externalIDClaim is an external id that the i-th element of an edit's values gives to a value. An empty one is taken away.
type externalIDClaim struct {
	i          int
	id         ValueID
	added      bool // the value is new
	externalID string
}

// writeClaims gives the values of a piece that exist their external ids, or returns fault.Conflict. Two values may swap theirs: so all let
// go of what they have first.
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

// checkClaims returns fault.Conflict naming the elements whose external ids another value has, or an earlier element of the piece.
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

// writeAdded writes the new values of a piece. Those whose external ids other values have are left out by the index itself: to look for
// them first, PostgreSQL would go by what it last counted, and it has not counted what the same transaction adds. It returns fault.Conflict
// naming them.
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

// claimConflict returns fault.Conflict naming the elements of the piece whose external ids another value has.
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
