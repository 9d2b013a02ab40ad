package slug

import (
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/rule"
)

// Claim is what a thing that is written asks for. Choose decides about it, and Save records it.
type Claim struct {
	// Key is the row key of the thing. It may be 0 for Choose if the thing is new.
	Key int64
	// ID is the id of the thing. Its second half is random.
	ID [16]byte
	// Name is what a slug is made of, if none is given.
	Name string
	// Given is the slug that was given on purpose, or "".
	Given Slug
	// Present is the slug before the write, or "".
	Present Slug

	// Slug is the result of Choose and Save. IsTaken says that Given is the present slug of another thing; Slug is ""
	// then.
	Slug    Slug
	IsTaken bool

	// losses counts how often another transaction took the chosen slug.
	losses int
}

// Fault returns fault.Invalid if the given slug IsTaken, naming the member slug of the object at a path, or nil.
func (c *Claim) Fault(at rule.FieldPath) error {
	if !c.IsTaken {
		return nil
	}
	return fault.Fields([]fault.Field{Taken(c.Given).At(at.Member("slug"))})
}

// holder is the thing that has or had a slug.
type holder struct {
	key       int64
	isPresent bool
}

// chooser chooses the slugs of a batch of claims.
type chooser struct {
	kind    Kind
	claims  []*Claim
	holders map[Slug]holder // of the slugs that were looked up
	used    map[Slug]*Claim // slugs that claims of the batch have got
}

// chooseGiven decides about the claims with a given slug. It may be free, a former slug of anybody, or one that another
// claim of the batch gives up. Of several claims to one slug the first one gets it.
func (c *chooser) chooseGiven() {
	byKey := make(map[int64]*Claim, len(c.claims))
	for _, claim := range c.claims {
		if claim.Given == "" {
			continue
		}
		if claim.Key != 0 {
			byKey[claim.Key] = claim
		}
		if c.used[claim.Given] != nil {
			claim.IsTaken = true
			continue
		}
		claim.Slug = claim.Given
		c.used[claim.Given] = claim
	}

	// A claim that fails keeps its present slug, which may be what another claim has hoped for.
	for changed := true; changed; {
		changed = false
		for _, claim := range c.claims {
			if claim.Given == "" || claim.IsTaken {
				continue
			}
			h, found := c.holders[claim.Given]
			if !found || !h.isPresent || claim.Key != 0 && h.key == claim.Key {
				continue
			}
			if other := byKey[h.key]; other == nil || other.IsTaken {
				delete(c.used, claim.Given)
				claim.Slug = ""
				claim.IsTaken = true
				changed = true
			}
		}
	}
}

// chooseFirst gives a claim the first of the slugs that nobody else has or had, and no claim of the batch has got. It
// returns false if there is none.
func (c *chooser) chooseFirst(claim *Claim, slugs ...Slug) bool {
	for _, s := range slugs {
		h, found := c.holders[s]
		if found && (claim.Key == 0 || h.key != claim.Key) || c.used[s] != nil {
			continue
		}
		claim.Slug = s
		c.used[s] = claim
		return true
	}
	return false
}
