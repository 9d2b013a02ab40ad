package catalog

import (
	"context"
	"fmt"

	"vitrine/internal/database"
)

// claim is an external id that the i-th element of an edit's values gives to a value: to one that exists, or to a new one, whose id is zero.
// An empty one is taken away.
type claim struct {
	i          int
	id         ValueID
	externalID string
}

// writeClaims gives the values of a piece that exist their external ids, once it is clear that no other value of the attribute has one of
// the piece. Two values may swap theirs: so all let go of what they have first. It returns fault.Conflict.
func (c *change) writeClaims(ctx context.Context) error {
	if len(c.claims) == 0 {
		return nil
	}
	defer func() { c.claims = c.claims[:0] }()
	var existing []ValueID
	names := database.NewBatch(database.Text)
	for _, cl := range c.claims {
		if !cl.id.IsZero() {
			existing = append(existing, cl.id)
		}
		if cl.externalID != "" {
			names.Add(cl.externalID)
		}
	}
	keys, err := valueKeys(ctx, c.q, c.storeID, c.a.Key, existing)
	if err != nil {
		return err
	}
	released, given := database.NewBatch(database.BigInt), database.NewBatch(database.BigInt, database.Text)
	for _, cl := range c.claims {
		if cl.id.IsZero() {
			continue
		}
		released.Add(keys[cl.id])
		if cl.externalID != "" {
			given.Add(keys[cl.id], cl.externalID)
		}
	}
	if _, err := c.q.ExecRows(ctx, clearExternalValuesSQL, released, c.storeID); err != nil {
		return err
	}
	if err := c.checkClaims(ctx, names); err != nil {
		return err
	}
	_, err = c.q.ExecRows(ctx, setExternalValuesSQL, given, c.storeID)
	return err
}

// checkClaims returns fault.Conflict naming the elements whose external ids another value has, or an earlier element of the piece.
func (c *change) checkClaims(ctx context.Context, names *database.Batch) error {
	held := map[string]bool{}
	err := c.q.QueryRows(ctx, heldExternalValuesSQL, names, func(rows database.Rows) error {
		var externalID string
		err := rows.Scan(&externalID)
		held[externalID] = true
		return err
	}, c.storeID, c.a.Key)
	if err != nil {
		return err
	}
	var taken []string
	for _, cl := range c.claims {
		if cl.externalID == "" {
			continue
		}
		if held[cl.externalID] {
			taken = append(taken, fmt.Sprintf("values[%d].external_id", cl.i))
		}
		held[cl.externalID] = true
	}
	if len(taken) == 0 {
		return nil
	}
	return externalIDsTaken(taken, "value of this "+c.a.Kind.Noun())
}

// textOrNull is an optional text of which the empty one is none.
func textOrNull(s *string) any {
	if s == nil || *s == "" {
		return nil
	}
	return *s
}
