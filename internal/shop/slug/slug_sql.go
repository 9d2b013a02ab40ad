package slug

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// statements are those of one kind.
type statements struct {
	holders, find, findAll, present, all, formerOf, release, claimMade, claimGiven, set, removeAll string
}

var (
	productStatements  = newStatements(Product, "products")
	categoryStatements = newStatements(Category, "categories")
)

func (k Kind) statements() *statements {
	if k == Category {
		return categoryStatements
	}
	return productStatements
}

// newStatements returns the statements of a kind, whose things are in a table.
func newStatements(kind Kind, things string) *statements {
	r := strings.NewReplacer("thing_", string(kind)+"_", "things", things)
	claim := r.Replace(claimSQL)
	return &statements{
		holders: r.Replace(holdersSQL), find: r.Replace(findSQL), findAll: r.Replace(findAllSQL),
		present: r.Replace(presentSQL), all: r.Replace(allSQL), formerOf: r.Replace(formerOfSQL),
		release:    r.Replace(releaseSQL),
		claimGiven: claim + "\nRETURNING slug",
		claimMade:  claim + r.Replace("\n  AND thing_slugs.thing_key = excluded.thing_key") + "\nRETURNING slug",
		set:        r.Replace(setSQL), removeAll: r.Replace(removeAllSQL),
	}
}

const holdersSQL = `
WITH r(slug) AS (ROWS)
SELECT s.slug, s.thing_key, s.is_current
FROM r
CROSS JOIN LOOKUP (thing_slugs s WHERE s.store_id = $1 AND s.slug = r.slug)`

const findSQL = `
SELECT s.slug, t.key, t.id, t.slug
FROM thing_slugs s
CROSS JOIN LOOKUP (things t WHERE t.store_id = $1 AND t.key = s.thing_key)
WHERE s.store_id = $1
  AND s.slug = $2`

const findAllSQL = `
WITH r(slug) AS (ROWS)
SELECT s.slug, t.key, t.id, t.slug
FROM r
CROSS JOIN LOOKUP (thing_slugs s WHERE s.store_id = $1 AND s.slug = r.slug)
CROSS JOIN LOOKUP (things t WHERE t.store_id = $1 AND t.key = s.thing_key)`

const presentSQL = `
WITH r(key) AS (ROWS)
SELECT t.key, t.slug
FROM r
CROSS JOIN LOOKUP (things t WHERE t.store_id = $1 AND t.key = r.key)`

const allSQL = `
SELECT slug
FROM thing_slugs
WHERE store_id = $1
  AND thing_key = $2
ORDER BY is_current DESC, slug`

const formerOfSQL = `
SELECT s.slug
FROM things t
CROSS JOIN LOOKUP (thing_slugs s WHERE s.store_id = $1 AND s.thing_key = t.key)
WHERE t.store_id = $1
  AND t.id = $2
  AND s.is_current = FALSE
ORDER BY s.slug
LIMIT $3`

// Here and below, a materialized CTE has the store's id; see docs/planner.md.
const releaseSQL = `
WITH r(slug) AS (ROWS), k(store_id, slug) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.slug
	FROM r)
UPDATE thing_slugs
SET is_current = FALSE
WHERE (store_id, slug) IN (SELECT store_id, slug FROM k)`

// A row locks its slug against concurrent claims, so the condition holds whatever other transactions do. Without WHERE
// TRUE, SQLite would parse ON as the condition of a join.
const claimSQL = `
WITH r(slug, thing_key) AS (ROWS)
INSERT INTO thing_slugs (store_id, slug, thing_key, is_current)
SELECT $1, slug, thing_key, TRUE
FROM r
WHERE TRUE
ON CONFLICT (store_id, slug) DO UPDATE
SET thing_key = excluded.thing_key, is_current = TRUE
WHERE thing_slugs.is_current = FALSE`

// IS TRUE keeps PostgreSQL from reading all rows of the store; see docs/planner.md.
const setSQL = `
WITH r(key, slug) AS (ROWS)
UPDATE things
SET slug = r.slug
FROM r
WHERE (things.store_id = $1) IS TRUE
  AND things.key = r.key`

const removeAllSQL = `
DELETE FROM thing_slugs
WHERE store_id = $1
  AND thing_key = $2`

// Owner is the thing that has or had a slug.
type Owner struct {
	// Asked is the slug that was looked up, and Present is the present one, or "".
	Asked, Present Slug
	Key            int64
	// ID is the id of the product or category; convert it to the type of ids of the package that owns the thing.
	ID id.Of[Owner]
}

func scanOwner(rows database.Rows) (o Owner, err error) {
	err = rows.Scan(&o.Asked, &o.Key, &o.ID, &o.Present)
	return o, err
}

// Find returns the thing that has or had the slug, or fault.NotFound.
func Find(ctx context.Context, tx store.Tx, kind Kind, s Slug) (Owner, error) {
	return store.SelectOne(ctx, tx, kind.statements().find, []any{string(s)}, string(kind), scanOwner)
}

// FindAll returns the things that have or had the slugs, by slug. Slugs that nobody has are left out.
func FindAll(ctx context.Context, tx store.Tx, kind Kind, slugs []Slug) (map[Slug]Owner, error) {
	owners := make(map[Slug]Owner, len(slugs))
	return owners, tx.QueryRows(ctx, kind.statements().findAll, slugBatch(slugs), func(rows database.Rows) error {
		o, err := scanOwner(rows)
		owners[o.Asked] = o
		return err
	})
}

// PresentOf returns the present slugs of the things with these row keys, by key. It is "" for a thing without one.
func PresentOf(ctx context.Context, tx store.Tx, kind Kind, keys []int64) (map[int64]Slug, error) {
	present := make(map[int64]Slug, len(keys))
	return present, tx.QueryRows(ctx, kind.statements().present, database.BatchOf(database.BigInt, keys),
		database.PutPairs(present))
}

// All returns all slugs of the thing with this row key: the present one, then the former ones by alphabet.
func All(ctx context.Context, tx store.Tx, kind Kind, key int64) (list []Slug, err error) {
	err = database.QueryEach(ctx, tx, kind.statements().all, []any{key}, database.AppendColumn(&list))
	return list, err
}

// maxShown is the number of former slugs that people are shown.
const maxShown = 20

// FormerOf returns the first former slugs of the thing with this id, by alphabet.
func FormerOf(ctx context.Context, tx store.Tx, kind Kind, thing [16]byte) (list []Slug, err error) {
	err = database.QueryEach(ctx, tx, kind.statements().formerOf, []any{id.Of[Owner](thing), maxShown},
		database.AppendColumn(&list))
	return list, err
}

// RemoveAll frees all slugs of the thing with this row key, which is about to be deleted.
func RemoveAll(ctx context.Context, tx store.Tx, kind Kind, key int64) error {
	return database.Exec(ctx, tx, kind.statements().removeAll, key)
}

// Choose decides which slugs the things of a batch get, and changes nothing. It runs at most two statements.
func Choose(ctx context.Context, tx store.Tx, kind Kind, claims []*Claim) error {
	c := &chooser{kind: kind, claims: claims, holders: map[Slug]holder{}, used: map[Slug]*Claim{}}
	bases := make([]Slug, len(claims))
	var asked []Slug
	for i, claim := range claims {
		claim.Slug, claim.IsTaken = "", false
		if bases[i] = claim.Given; claim.Given == "" {
			bases[i] = claim.base(kind)
		}
		asked = append(asked, bases[i])
	}
	if err := c.lookUp(ctx, tx, asked); err != nil {
		return err
	}

	c.chooseGiven()
	again := map[int][]Slug{}
	asked = nil
	for i, claim := range claims {
		if claim.Given == "" && !c.chooseFirst(claim, bases[i]) {
			again[i] = claim.numbered(bases[i])
			asked = append(asked, again[i]...)
		}
	}
	if len(again) == 0 {
		return nil
	}

	if err := c.lookUp(ctx, tx, asked); err != nil {
		return err
	}
	for i, claim := range claims {
		if again[i] != nil && !c.chooseFirst(claim, again[i]...) {
			return fault.New(fault.Unavailable, "database_busy",
				"No free slug was found for %s. Send the request again.", bases[i])
		}
	}
	return nil
}

// lookUp adds the holders of the slugs to those that are known.
func (c *chooser) lookUp(ctx context.Context, tx store.Tx, slugs []Slug) error {
	slices.Sort(slugs)
	batch := slugBatch(slices.Compact(slugs))
	return tx.QueryRows(ctx, c.kind.statements().holders, batch, func(rows database.Rows) error {
		var s Slug
		var h holder
		err := rows.Scan(&s, &h.key, &h.isPresent)
		c.holders[s] = h
		return err
	})
}

func slugBatch(slugs []Slug) *database.Batch {
	batch := database.NewBatch(database.Text)
	for _, s := range slugs {
		batch.Add(string(s))
	}
	return batch
}

// maxTries is how often Save chooses again where other transactions were faster.
const maxTries = 5

// errLost says that other transactions took every slug that was chosen.
var errLost = errors.New("other transactions took the chosen slugs")

// Save records the slugs that Choose has chosen. The keys of all claims are set, and the columns of the things have
// been written with the chosen slugs. If another transaction was faster, Save chooses another slug for a thing without
// a given one, and corrects its column; a claim with a given slug IsTaken then, and the caller must roll back. The
// number of statements does not depend on the number of claims.
func Save(ctx context.Context, tx store.Tx, kind Kind, claims []*Claim) error {
	var changed []*Claim
	var former []Slug
	for _, c := range claims {
		if c.IsTaken || c.Slug == c.Present {
			continue
		}
		changed = append(changed, c)
		if c.Present != "" {
			former = append(former, c.Present)
		}
	}

	slices.Sort(former)
	if _, err := tx.ExecRows(ctx, kind.statements().release, slugBatch(former)); err != nil {
		return err
	}

	for try := 0; len(changed) > 0; try++ {
		lost, err := claimAll(ctx, tx, kind, changed)
		if err != nil {
			return err
		}
		if changed = lost; len(lost) == 0 {
			return nil
		}
		if try == maxTries {
			return fault.New(fault.Unavailable, "database_busy",
				"Many things of the same name are being written. Send the request again.").Because(errLost)
		}
		for _, c := range lost {
			c.losses++
		}
		if err := chooseAgain(ctx, tx, kind, lost); err != nil {
			return err
		}
		changed = slices.DeleteFunc(changed, func(c *Claim) bool { return c.IsTaken })
	}
	return nil
}

// claimAll inserts the rows of the slugs. It returns the claims that found another owner there. Rows are locked in the
// order of slugs, so that two transactions seldom deadlock; one that does is retried.
func claimAll(ctx context.Context, tx store.Tx, kind Kind, claims []*Claim) (lost []*Claim, err error) {
	slices.SortFunc(claims, func(a, b *Claim) int { return cmp.Compare(a.Slug, b.Slug) })
	given := database.NewBatch(database.Text, database.BigInt)
	made := database.NewBatch(database.Text, database.BigInt)
	for _, c := range claims {
		if c.Given != "" {
			given.Add(string(c.Slug), c.Key)
		} else {
			made.Add(string(c.Slug), c.Key)
		}
	}

	won := make(map[Slug]bool, len(claims))
	if err := tx.QueryRows(ctx, kind.statements().claimGiven, given, database.PutKeys(won)); err != nil {
		return nil, err
	}
	if err := tx.QueryRows(ctx, kind.statements().claimMade, made, database.PutKeys(won)); err != nil {
		return nil, err
	}

	for _, c := range claims {
		if !won[c.Slug] {
			lost = append(lost, c)
		}
	}
	return lost, nil
}

// chooseAgain chooses for claims that came too late, and corrects the columns of the things. A given slug stays lost.
func chooseAgain(ctx context.Context, tx store.Tx, kind Kind, lost []*Claim) error {
	var made []*Claim
	for _, c := range lost {
		if c.Given != "" {
			c.Slug = ""
			c.IsTaken = true
			continue
		}
		made = append(made, c)
	}
	if err := Choose(ctx, tx, kind, made); err != nil {
		return err
	}
	return SetColumns(ctx, tx, kind, made)
}

// SetColumns writes the chosen slugs into the columns of the things. Use cases that write the things anyway write the
// column themselves.
func SetColumns(ctx context.Context, tx store.Tx, kind Kind, claims []*Claim) error {
	columns := database.NewBatch(database.BigInt, database.Text)
	for _, c := range claims {
		columns.Add(c.Key, string(c.Slug))
	}
	_, err := tx.ExecRows(ctx, kind.statements().set, columns)
	return err
}
