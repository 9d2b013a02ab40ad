package onec

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const packageColumns = `catalog, package, credential_id, has_offers, file_key, problem`

// lockOpenPackage appends FOR UPDATE.
const openPackageSQL = `
SELECT ` + packageColumns + `
FROM commerceml_packages
WHERE store_id = $1
  AND catalog = $2
  AND file_key IS NULL`

// pendingPackageSQL also selects the package whose end waits behind the file $3, which came before the end.
const pendingPackageSQL = `
SELECT ` + packageColumns + `
FROM commerceml_packages
WHERE store_id = $1
  AND catalog = $2
  AND (file_key IS NULL OR file_key > $3 AND file_key IN (
	SELECT f.key
	FROM commerceml_files f
	WHERE f.store_id = $1
	  AND f.state = 'queued'))
ORDER BY package DESC
LIMIT 1`

const packageByFileSQL = `
SELECT ` + packageColumns + `
FROM commerceml_packages
WHERE store_id = $1
  AND file_key = $2`

const packageByRunSQL = `
SELECT ` + packageColumns + `
FROM commerceml_packages
WHERE store_id = $1
  AND run_key = $2`

const packagesOfSessionSQL = `
SELECT ` + packageColumns + `
FROM commerceml_packages
WHERE store_id = $1
  AND session_key = $2
ORDER BY catalog, package`

const insertPackageSQL = `
INSERT INTO commerceml_packages (store_id, catalog, package, credential_id, session_key, minutes, ends_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

const extendPackageSQL = `
UPDATE commerceml_packages
SET credential_id = $3, session_key = $4, minutes = $5, ends_at = $6, has_offers = has_offers OR $7
WHERE store_id = $1
  AND catalog = $2
  AND file_key IS NULL`

const addPackageOffersSQL = `
UPDATE commerceml_packages
SET has_offers = TRUE
WHERE store_id = $1
  AND catalog = $2
  AND package = $3`

// setPackageProblemSQL marks the packages that are open, or whose end came after the file $3.
const setPackageProblemSQL = `
UPDATE commerceml_packages
SET problem = $2
WHERE store_id = $1
  AND problem = ''
  AND (file_key IS NULL OR file_key > $3)`

const setPackageFileSQL = `
UPDATE commerceml_packages
SET file_key = $4
WHERE store_id = $1
  AND catalog = $2
  AND package = $3`

const setPackageRunSQL = `
UPDATE commerceml_packages
SET run_key = $4
WHERE store_id = $1
  AND catalog = $2
  AND package = $3`

// dueSQL leaves out the stores with a file that is queued or was received lately: it may belong to the package.
const dueSQL = `
SELECT p.store_id, p.catalog
FROM commerceml_packages p
WHERE p.ends_at <= $1
  AND p.file_key IS NULL
  AND NOT EXISTS (
	SELECT 1
	FROM commerceml_files f
	WHERE f.store_id = p.store_id
	  AND f.state = 'queued')
  AND NOT EXISTS (
	SELECT 1
	FROM commerceml_sessions s
	CROSS JOIN commerceml_files f
	WHERE s.store_id = p.store_id
	  AND s.kind = 'catalog'
	  AND s.used_at > $1 - p.minutes * 60000000
	  AND f.store_id = p.store_id
	  AND f.session_key = s.key
	  AND f.state = 'received')`

const isDueSQL = dueSQL + `
  AND p.store_id = $2
  AND p.catalog = $3`

const duePackagesSQL = dueSQL + `
ORDER BY p.ends_at, p.store_id, p.catalog
LIMIT $2`

const hasOldPackagesSQL = `
SELECT EXISTS (
	SELECT 1
	FROM commerceml_packages
	WHERE ends_at < $1
	  AND file_key IS NOT NULL)`

const deleteOldPackagesSQL = `
DELETE FROM commerceml_packages
WHERE ends_at < $1
  AND file_key IS NOT NULL`

const upsertListedSQL = `
WITH r(good_id, offer_id, catalog, package) AS (ROWS)
INSERT INTO commerceml_goods (store_id, good_id, offer_id, catalog, package, created_at)
SELECT $1, good_id, offer_id, catalog, package, $2
FROM r
WHERE TRUE
ON CONFLICT (store_id, good_id, offer_id) DO UPDATE
SET catalog = excluded.catalog, package = excluded.package
WHERE commerceml_goods.catalog <> excluded.catalog
   OR commerceml_goods.package < excluded.package`

// listedRoomSQL counts what may still be recorded: twice what the store has, and $2.
const listedRoomSQL = `
SELECT $2 - (SELECT COUNT(*) FROM commerceml_goods WHERE store_id = $1)
	+ 2 * (SELECT COUNT(*) FROM products WHERE store_id = $1)
	+ 2 * (SELECT COUNT(*) FROM variants WHERE store_id = $1)`

// oldListedSQL lists rows in the order of the primary key, beginning after one. is_gone says that the row was recorded
// before $4, and that the store has no such product or variant.
const oldListedSQL = `
SELECT g.store_id, g.good_id, g.offer_id, g.created_at < $4 AND NOT EXISTS (
	SELECT 1
	FROM products p
	WHERE p.store_id = g.store_id
	  AND p.external_id = g.good_id
	  AND (g.offer_id = '' OR EXISTS (
		SELECT 1
		FROM variants v
		WHERE v.store_id = p.store_id
		  AND v.product_key = p.key
		  AND v.external_id = g.offer_id))) AS is_gone
FROM commerceml_goods g
WHERE (g.store_id, g.good_id, g.offer_id) > ($1, $2, $3)
ORDER BY g.store_id, g.good_id, g.offer_id
LIMIT $5`

const deleteListedSQL = `
WITH r(store_id, good_id, offer_id) AS (ROWS)
DELETE FROM commerceml_goods
WHERE (store_id, good_id, offer_id) IN (SELECT store_id, good_id, offer_id FROM r)`

const hasMissingSQL = `
SELECT EXISTS (
	SELECT 1
	FROM commerceml_goods g
	WHERE g.store_id = $1
	  AND g.catalog = $2
	  AND g.package < $3)`

const liveGoods = `
FROM commerceml_goods g
CROSS JOIN products p
WHERE g.store_id = $1
  AND g.catalog = $2
  AND g.offer_id = ''
  AND p.store_id = $1
  AND p.external_id = g.good_id
  AND p.archived_at IS NULL`

const countGoodsSQL = `
SELECT COUNT(*), COUNT(CASE WHEN g.package < $3 THEN 1 END)` + liveGoods

const missingGoodsSQL = `
SELECT p.key` + liveGoods + `
  AND g.package < $3
ORDER BY p.key`

// liveOffers are the offers of the goods that the package has. The offers of missing goods are archived with them.
const liveOffers = `
FROM commerceml_goods o
CROSS JOIN commerceml_goods g
CROSS JOIN products p
CROSS JOIN variants v
WHERE o.store_id = $1
  AND o.catalog = $2
  AND o.offer_id <> ''
  AND g.store_id = $1
  AND g.good_id = o.good_id
  AND g.offer_id = ''
  AND g.package >= $3
  AND p.store_id = $1
  AND p.external_id = o.good_id
  AND p.archived_at IS NULL
  AND v.store_id = $1
  AND v.product_key = p.key
  AND v.external_id = o.offer_id
  AND v.archived_at IS NULL`

const countOffersSQL = `
SELECT COUNT(*), COUNT(CASE WHEN o.package < $3 THEN 1 END)` + liveOffers

const missingOffersSQL = `
SELECT o.good_id, o.offer_id` + liveOffers + `
  AND o.package < $3
  AND (o.good_id, o.offer_id) > ($4, $5)
ORDER BY o.good_id, o.offer_id
LIMIT $6`

// fullPackage is a full package of a catalogue.
type fullPackage struct {
	catalog    string
	number     int64
	credential access.KeyID
	hasOffers  bool
	// fileKey is the file that stands for the end of the package; nil while it is open.
	fileKey *int64
	// problem says why the package archives nothing; empty if it may.
	problem packageProblem
}

// packageProblem is why a package archives nothing.
type packageProblem string

const (
	// packageFileFailed means that a file that may belong to the package could not be imported.
	packageFileFailed packageProblem = "file_failed"
	// tooManyCatalogs means that a file has more catalogues than are recorded.
	tooManyCatalogs packageProblem = "too_many_catalogs"
	// tooManyListed means that not all goods and offers are recorded, since the store has too many of them.
	tooManyListed packageProblem = "too_many_goods"
)

// listedRow is a good or an offer that 1C has sent.
type listedRow struct{ good, offer string }

func scanPackage(rows database.Rows) (p fullPackage, err error) {
	var problem string
	err = rows.Scan(&p.catalog, &p.number, &p.credential, &p.hasOffers, &p.fileKey, &problem)
	p.problem = packageProblem(problem)
	return p, err
}

// pendingPackage returns the package of a catalogue to which a file belongs, or database.ErrNoRows: the one that is
// open, or the one whose end waits behind the file.
func pendingPackage(ctx context.Context, tx store.Tx, catalog string, fileKey int64) (fullPackage, error) {
	return database.QueryOne(ctx, tx, pendingPackageSQL, []any{catalog, fileKey}, scanPackage)
}

// lockOpenPackage returns the open package of a catalogue, or database.ErrNoRows. No other transaction ends the
// package.
func lockOpenPackage(ctx context.Context, tx store.Tx, catalog string) (fullPackage, error) {
	return database.QueryOne(ctx, tx, openPackageSQL+tx.Dialect().ForUpdate, []any{catalog}, scanPackage)
}

func packageByFile(ctx context.Context, tx store.Tx, fileKey int64) (fullPackage, error) {
	return database.QueryOne(ctx, tx, packageByFileSQL, []any{fileKey}, scanPackage)
}

func packageByRun(ctx context.Context, tx store.Tx, runKey int64) (fullPackage, error) {
	return database.QueryOne(ctx, tx, packageByRunSQL, []any{runKey}, scanPackage)
}

// packagesOfSession returns the packages whose last file came in a session.
func packagesOfSession(ctx context.Context, tx store.Tx, sessionKey int64) (list []fullPackage, err error) {
	err = database.QueryEach(ctx, tx, packagesOfSessionSQL, []any{sessionKey},
		database.AppendScanned(&list, scanPackage))
	return list, err
}

func insertPackage(
	ctx context.Context, tx store.Tx, p fullPackage, sessionKey, minutes int64, endsAt time.Time,
) error {
	return database.Exec(ctx, tx, insertPackageSQL, p.catalog, p.number, p.credential, sessionKey, minutes,
		endsAt.UnixMicro())
}

// extendPackage records that a file has come for the open package of a catalogue, and reports whether there is one.
func extendPackage(
	ctx context.Context, tx store.Tx, p fullPackage, sessionKey, minutes int64, endsAt time.Time,
) (bool, error) {
	n, err := tx.Exec(ctx, extendPackageSQL, p.catalog, p.credential, sessionKey, minutes, endsAt.UnixMicro(),
		p.hasOffers)
	return n == 1, err
}

// addPackageOffers records that a full packet of offers has come for a package, which may have ended.
func addPackageOffers(ctx context.Context, tx store.Tx, catalog string, number int64) error {
	return database.Exec(ctx, tx, addPackageOffersSQL, catalog, number)
}

// setPackageProblem lets the packages to which a file may belong archive nothing.
func setPackageProblem(ctx context.Context, tx store.Tx, problem packageProblem, fileKey int64) error {
	_, err := tx.Exec(ctx, setPackageProblemSQL, string(problem), fileKey)
	return err
}

func setPackageFile(ctx context.Context, tx store.Tx, p fullPackage, fileKey int64) error {
	return database.Exec(ctx, tx, setPackageFileSQL, p.catalog, p.number, fileKey)
}

func setPackageRun(ctx context.Context, tx store.Tx, p fullPackage, runKey int64) error {
	return database.Exec(ctx, tx, setPackageRunSQL, p.catalog, p.number, runKey)
}

// duePackage is a package that ends because nothing has come for it.
type duePackage struct {
	storeID store.ID
	catalog string
}

func duePackages(ctx context.Context, q database.Querier, now time.Time, limit int64) (list []duePackage, err error) {
	args := []any{now.UnixMicro(), limit}
	err = database.QueryEach(ctx, q, duePackagesSQL, args, database.AppendScanned(&list, scanDuePackage))
	return list, err
}

func scanDuePackage(rows database.Rows) (p duePackage, err error) {
	err = rows.Scan(&p.storeID, &p.catalog)
	return p, err
}

// isDue reports whether a package is still due.
func isDue(ctx context.Context, q database.Querier, p duePackage, now time.Time) (bool, error) {
	_, err := database.QueryOne(ctx, q, isDueSQL, []any{now.UnixMicro(), p.storeID, p.catalog}, scanDuePackage)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func hasOldPackages(ctx context.Context, q database.Querier, before time.Time) (found bool, err error) {
	err = database.QueryRow(ctx, q, hasOldPackagesSQL, []any{before.UnixMicro()}, &found)
	return found, err
}

func deleteOldPackages(ctx context.Context, q database.Querier, before time.Time) error {
	_, err := q.Exec(ctx, deleteOldPackagesSQL, before.UnixMicro())
	return err
}

// upsertListed stores which catalogue and package has goods and offers. Each may be in the batch only once.
func upsertListed(ctx context.Context, tx store.Tx, batch *database.Batch, at time.Time) error {
	_, err := tx.ExecRows(ctx, upsertListedSQL, batch, at.UnixMicro())
	return err
}

// listedRoom returns how many goods and offers may still be recorded, if a store without products may have least.
func listedRoom(ctx context.Context, tx store.Tx, least int64) (room int64, err error) {
	err = database.QueryRow(ctx, tx, listedRoomSQL, []any{least}, &room)
	return room, err
}

// storeListed is a recorded good or offer of a store.
type storeListed struct {
	storeID store.ID
	listedRow
	isGone bool
}

// listedAfter returns what is recorded after a row, and whether it is gone: recorded before a time, and no product or
// variant.
func listedAfter(
	ctx context.Context, q database.Querier, after storeListed, before time.Time, limit int64,
) (list []storeListed, err error) {
	scan := func(rows database.Rows) (r storeListed, err error) {
		err = rows.Scan(&r.storeID, &r.good, &r.offer, &r.isGone)
		return r, err
	}
	args := []any{after.storeID, after.good, after.offer, before.UnixMicro(), limit}
	err = database.QueryEach(ctx, q, oldListedSQL, args, database.AppendScanned(&list, scan))
	return list, err
}

func deleteListed(ctx context.Context, q database.Querier, list []storeListed) error {
	batch := database.NewBatch(database.UUID, database.Text, database.Text)
	for _, r := range list {
		batch.Add(r.storeID, r.good, r.offer)
	}
	_, err := q.ExecRows(ctx, deleteListedSQL, batch)
	return err
}

// hasMissing reports whether the catalogue has had goods or offers that the package lacks, archived ones included.
func hasMissing(ctx context.Context, tx store.Tx, p fullPackage) (found bool, err error) {
	err = database.QueryRow(ctx, tx, hasMissingSQL, []any{p.catalog, p.number}, &found)
	return found, err
}

// countGoods counts the live goods of the catalogue, and the live goods that the package lacks. countOffers does the
// same for the offers of goods that the package has.
func countGoods(ctx context.Context, tx store.Tx, p fullPackage) (live, missing int64, err error) {
	err = database.QueryRow(ctx, tx, countGoodsSQL, []any{p.catalog, p.number}, &live, &missing)
	return live, missing, err
}

func countOffers(ctx context.Context, tx store.Tx, p fullPackage) (live, missing int64, err error) {
	err = database.QueryRow(ctx, tx, countOffersSQL, []any{p.catalog, p.number}, &live, &missing)
	return live, missing, err
}

// missingGoods returns the keys of the live products that the package lacks.
func missingGoods(ctx context.Context, tx store.Tx, p fullPackage) (keys []int64, err error) {
	err = database.QueryEach(ctx, tx, missingGoodsSQL, []any{p.catalog, p.number}, database.AppendColumn(&keys))
	return keys, err
}

// missingOffers returns up to limit of the live offers that the package lacks, in their order, after one of them.
func missingOffers(
	ctx context.Context, tx store.Tx, p fullPackage, after listedRow, limit int64,
) (list []listedRow, err error) {
	scan := func(rows database.Rows) (r listedRow, err error) {
		err = rows.Scan(&r.good, &r.offer)
		return r, err
	}
	err = database.QueryEach(ctx, tx, missingOffersSQL, []any{p.catalog, p.number, after.good, after.offer, limit},
		database.AppendScanned(&list, scan))
	return list, err
}
