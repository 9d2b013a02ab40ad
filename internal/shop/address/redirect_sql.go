package address

import (
	"context"
	"math/rand/v2"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const listRedirectsSQL = `
SELECT id, from_path, to_path, created_at
FROM redirects
WHERE store_id = $1
ORDER BY from_path
LIMIT $2 OFFSET $3`

const countRedirectsSQL = `
SELECT COALESCE((SELECT v.redirects FROM redirect_versions AS v WHERE v.store_id = $1), 0)`

// The row of redirect_versions is locked until the commit.
const addToRedirectCountSQL = `
INSERT INTO redirect_versions (store_id, redirects, stamp)
VALUES ($1, $2, $3)
ON CONFLICT (store_id) DO UPDATE
SET redirects = redirect_versions.redirects + EXCLUDED.redirects, stamp = EXCLUDED.stamp
RETURNING redirects`

const redirectTargetSQL = `
SELECT target, target_key
FROM redirects
WHERE store_id = $1
  AND from_path = $2`

const insertRedirectSQL = `
INSERT INTO redirects (store_id, from_path, id, to_path, to_key, target, target_key, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (store_id, from_path) DO NOTHING`

const replaceTargetSQL = `
UPDATE redirects
SET target = $3, target_key = $4
WHERE store_id = $1
  AND target_key = $2`

const deleteRedirectSQL = `
DELETE FROM redirects
WHERE store_id = $1
  AND id = $2
RETURNING id, from_path, to_path, created_at`

// restoreTargetsSQL gives all redirects whose chain leads to the path $2 the target of the last of them.
const restoreTargetsSQL = `
WITH RECURSIVE up(from_path, target) AS (
	SELECT r.from_path, r.to_path
	FROM redirects AS r
	WHERE r.store_id = $1
	  AND r.to_key = $2
	UNION ALL
	SELECT r.from_path, up.target
	FROM up
	CROSS JOIN redirects AS r
	WHERE r.store_id = $1
	  AND r.to_key = up.from_path)
UPDATE redirects
SET target = up.target, target_key = $2
FROM up
WHERE redirects.store_id = $1
  AND redirects.from_path = up.from_path`

// maxWay is the number of redirects of a chain whose paths are compared with present addresses.
const maxWay = 50

// waySQL reads the paths of the chain of redirects that begins at the path $2.
const waySQL = `
WITH RECURSIVE way(number, path) AS (
	SELECT 1, r.to_key
	FROM redirects AS r
	WHERE r.store_id = $1
	  AND r.from_path = $2
	UNION ALL
	SELECT way.number + 1, (SELECT r.to_key FROM redirects AS r WHERE r.store_id = $1 AND r.from_path = way.path)
	FROM way
	WHERE way.path IS NOT NULL
	  AND way.number < $3)
SELECT path
FROM way
WHERE path <> ''
ORDER BY number`

func scanRedirect(rows database.Rows) (r Redirect, err error) {
	err = rows.Scan(&r.ID, &r.From, &r.To, database.Time(&r.CreatedAt))
	return r, err
}

func selectRedirects(ctx context.Context, tx store.Tx, limit, offset int64) (list []Redirect, total int64, err error) {
	if err := database.QueryRow(ctx, tx, countRedirectsSQL, nil, &total); err != nil {
		return nil, 0, err
	}
	err = database.QueryEach(ctx, tx, listRedirectsSQL, []any{limit, offset},
		database.AppendScanned(&list, scanRedirect))
	return list, total, err
}

// addToCount changes the number of redirects by n and returns it, and gives the redirects another stamp: see
// store.Versions. It locks out other changes of redirects until the transaction ends.
func addToCount(ctx context.Context, tx store.Tx, n int64) (count int64, err error) {
	err = database.QueryRow(ctx, tx, addToRedirectCountSQL, []any{n, rand.Int64()}, &count)
	return count, err
}

// findTarget returns the end of the chain of redirects that begins at a path, or database.ErrNoRows if none does.
func findTarget(ctx context.Context, tx store.Tx, path string) (target destination, err error) {
	err = database.QueryRow(ctx, tx, redirectTargetSQL, []any{path}, &target.to, &target.key)
	return target, err
}

// selectWay returns the paths to which the redirects of a chain lead, in their order.
func selectWay(ctx context.Context, tx store.Tx, path string) (way []string, err error) {
	err = database.QueryEach(ctx, tx, waySQL, []any{path, maxWay}, database.AppendColumn(&way))
	return way, err
}

// insertRedirect inserts a redirect, and reports whether there was none from the same path.
func insertRedirect(ctx context.Context, tx store.Tx, r Redirect, to, target destination) (bool, error) {
	n, err := tx.Exec(ctx, insertRedirectSQL, r.From, r.ID, to.to, to.key, target.to, target.key,
		r.CreatedAt.UnixMicro())
	return n == 1, err
}

// replaceTarget gives the redirects whose chain ended at a path, which now goes on, the new end.
func replaceTarget(ctx context.Context, tx store.Tx, path string, target destination) error {
	return database.Exec(ctx, tx, replaceTargetSQL, path, target.to, target.key)
}

// deleteRedirect deletes a redirect and returns it, or fault.NotFound.
func deleteRedirect(ctx context.Context, tx store.Tx, redirectID RedirectID) (Redirect, error) {
	return store.SelectOne(ctx, tx, deleteRedirectSQL, []any{redirectID}, "redirect", scanRedirect)
}

// restoreTargets ends the chains of redirects that lead to a path at that path.
func restoreTargets(ctx context.Context, tx store.Tx, path string) error {
	return database.Exec(ctx, tx, restoreTargetsSQL, path)
}
