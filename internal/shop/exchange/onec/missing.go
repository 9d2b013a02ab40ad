package onec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/store"
)

// 1C sends a full catalogue in portions: several files, or several sessions, and only the first portion says that it is
// full. What is missing is known only at the end, so each good and offer that comes is recorded with the full package
// that has it. The package ends with mode=complete or mode=deactivate, or when nothing has come for a while. A file
// that no client can send then stands for its end. It is imported after the files that came before it.

const (
	// missingFile is the name of the file that stands for the end of a package, packageKind the kind of its session.
	missingFile = ":missing"
	packageKind = "package"
	// catalogKind is the kind of the sessions that send goods and offers.
	catalogKind = "catalog"
	// listedBatch is the number of goods and offers that are recorded together.
	listedBatch = 1000
	// leastListed is the number of goods and offers that are recorded for a store, besides twice those that it has.
	leastListed = 200_000
	// listedRetention is how long a good or an offer stays recorded that is not in the store: its run may wait.
	listedRetention = 7 * 24 * time.Hour
	// pruneListedEvery is the interval at which such records are deleted.
	pruneListedEvery = 24 * time.Hour
	// endedPackageLimit is the number of packages that are ended in a row.
	endedPackageLimit = 100
	// packageRetention is how long an ended package is kept: its run may wait.
	packageRetention = 2 * sessionRetention
)

// listed records that a catalogue has a good or an offer, also in a store that keeps missing goods: the store may
// choose to archive them later, and then needs to know what came before.
func (m *fileMapping) listed(ctx context.Context, l commerceml.Listed) error {
	if m.problem != "" {
		return nil
	}
	number, err := m.packageNumber(ctx, l.Packet)
	if err != nil {
		return err
	}
	if m.listedRows == nil {
		m.listedRows = map[listedRow]listedIn{}
	}
	m.listedRows[listedRow{l.Good, l.Offer}] = listedIn{l.Catalog, number}
	if len(m.listedRows) < listedBatch {
		return nil
	}
	return m.saveListed(ctx)
}

// listedIn is the catalogue that has a good or an offer, and the number of its package.
type listedIn struct {
	catalog string
	number  int64
}

// packageNumber returns the number of the full package to which a packet belongs: the one that is open, the one whose
// end is imported after this file, or the one that this file begins. It is 0 if there is none.
func (m *fileMapping) packageNumber(ctx context.Context, packet commerceml.Packet) (int64, error) {
	if m.state.settings.Missing != MissingArchive {
		return 0, nil
	}

	number, known := m.packages[packet.Catalog]
	if !known {
		pending, err := database.Read(ctx, m.s.DB, func(q querier) (fullPackage, error) {
			return pendingPackage(ctx, store.In(q, m.storeID), packet.Catalog, m.file.key)
		})
		if err != nil && !errors.Is(err, database.ErrNoRows) {
			return 0, err
		}
		number = pending.number
		m.packages[packet.Catalog] = number
	}

	if number == 0 && packet.IsFull && !packet.HasOffers {
		number = m.file.key
		m.packages[packet.Catalog] = number
	}

	return number, nil
}

// saveListed stores the recorded goods and offers. They may be stored before the file is known to be good: what is
// recorded by mistake is not missing.
func (m *fileMapping) saveListed(ctx context.Context) error {
	if len(m.listedRows) == 0 {
		return nil
	}

	if err := m.takeListedRoom(ctx, int64(len(m.listedRows))); err != nil || m.problem != "" {
		clear(m.listedRows)
		return err
	}

	batch := database.NewBatch(database.Text, database.Text, database.Text, database.BigInt)
	rows := make([]listedRow, 0, len(m.listedRows))
	for row := range m.listedRows {
		rows = append(rows, row)
	}

	slices.SortFunc(rows, listedRow.compare) // so that transactions cannot deadlock

	for _, row := range rows {
		in := m.listedRows[row]
		batch.Add(row.good, row.offer, in.catalog, in.number)
	}

	clear(m.listedRows)
	return m.s.write(ctx, func(q querier) error {
		if err := m.t.Fence(ctx, q); err != nil {
			return err
		}
		return upsertListed(ctx, store.In(q, m.storeID), batch, m.s.now())
	})
}

// takeListedRoom counts rows that are to be recorded as if all of them were new. Where that is too much, it looks at
// how many there are. If these are too many, it sets the problem of the file.
func (m *fileMapping) takeListedRoom(ctx context.Context, rows int64) error {
	if m.listedRoom < rows {
		room, err := database.Read(ctx, m.s.DB, func(q querier) (int64, error) {
			return listedRoom(ctx, store.In(q, m.storeID), m.s.leastListed)
		})
		if err != nil {
			return err
		}
		m.listedRoom = room
	}
	if m.listedRoom -= rows; m.listedRoom < 0 {
		m.problem = tooManyListed
	}
	return nil
}

// pruneListed deletes the records of goods and offers that the store does not have, some days after they came.
func (s *Service) pruneListed(ctx context.Context) error {
	before := s.now().Add(-listedRetention)
	var after storeListed
	for {
		list, err := database.Read(ctx, s.DB, func(q querier) ([]storeListed, error) {
			return listedAfter(ctx, q, after, before, listedBatch)
		})
		if err != nil || len(list) == 0 {
			return err
		}

		after = list[len(list)-1]
		list = slices.DeleteFunc(list, func(r storeListed) bool { return !r.isGone })
		if len(list) == 0 {
			continue
		}
		if err := s.DB.WriteAlone(ctx, func(q querier) error { return deleteListed(ctx, q, list) }); err != nil {
			return err
		}
	}
}

// savePackages opens the full packages that the file begins, and extends those to which it belongs.
func (m *fileMapping) savePackages(ctx context.Context, tx store.Tx) error {
	if m.state.settings.Missing != MissingArchive {
		return nil
	}

	minutes := m.state.settings.withDefaults().PackageMinutes
	endsAt := m.s.now().Add(time.Duration(minutes) * time.Minute)
	for _, packet := range m.summary.Packets {
		p := fullPackage{catalog: packet.Catalog, number: m.file.key, credential: m.session.Credential,
			hasOffers: packet.HasOffers && packet.IsFull}
		extended, err := extendPackage(ctx, tx, p, m.session.Key, minutes, endsAt)
		if err != nil {
			return err
		}

		// A package that was open when the file was read, and has ended since then, has the goods of the file.
		number := m.packages[packet.Catalog]
		belongs := number != 0 && number != m.file.key
		if belongs && !extended && p.hasOffers {
			if err := addPackageOffers(ctx, tx, packet.Catalog, number); err != nil {
				return err
			}
		}

		if extended || belongs || packet.HasOffers || !packet.IsFull {
			continue
		}
		if err := insertPackage(ctx, tx, p, m.session.Key, minutes, endsAt); err != nil {
			return err
		}
	}

	if m.summary.TooManyCatalogs && m.problem == "" {
		m.problem = tooManyCatalogs
	}

	if m.problem == "" {
		return nil
	}

	return setPackageProblem(ctx, tx, m.problem, m.file.key)
}

// EndPackages ends the full packages for which nothing has come in time. run calls it again and again, on every node.
func (s *Service) EndPackages(ctx context.Context) (err error) {
	defer fault.AddContext(&err, "end full packages of 1C")

	now := s.now()
	due, err := database.Read(ctx, s.DB, func(q querier) ([]duePackage, error) {
		return duePackages(ctx, q, now, endedPackageLimit)
	})
	if err != nil {
		return err
	}

	var failed []error
	for _, p := range due {
		err := s.write(ctx, func(q querier) error { return s.endDuePackage(ctx, q, p, now) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // the others do not wait for it
			failed = append(failed, fmt.Errorf("package of store %s: %w", p.storeID, err))
		}
	}

	return errors.Join(failed...)
}

// endDuePackage ends a package in the caller's transaction, unless a file has come for it since it was read.
func (s *Service) endDuePackage(ctx context.Context, q querier, p duePackage, now time.Time) error {
	tx := store.In(q, p.storeID)
	open, err := lockOpenPackage(ctx, tx, p.catalog)
	if errors.Is(err, database.ErrNoRows) {
		return nil // another node has ended it
	}
	if err != nil {
		return err
	}

	due, err := isDue(ctx, q, p, now)
	if err != nil || !due {
		return err
	}
	_, err = s.endPackage(ctx, tx, open)
	return err
}

// deleteOldPackages deletes the packages that have ended long ago.
func (s *Service) deleteOldPackages(ctx context.Context) error {
	before := s.now().Add(-packageRetention)
	found, err := database.Read(ctx, s.DB, func(q querier) (bool, error) { return hasOldPackages(ctx, q, before) })
	if err != nil || !found {
		return err
	}
	return s.write(ctx, func(q querier) error { return deleteOldPackages(ctx, q, before) })
}

// endPackage ends a package that the caller has locked, in the caller's transaction. It returns the file that stands
// for the end. Files that were queued before it are imported before it, and belong to the package.
func (s *Service) endPackage(ctx context.Context, tx store.Tx, p fullPackage) (*sessionFile, error) {
	session := Session{Credential: p.credential, Login: []byte{}, Kind: packageKind}
	if err := insertSession(ctx, tx, &session, s.now()); err != nil {
		return nil, err
	}
	file := &sessionFile{sessionKey: session.Key, name: missingFile, state: fileReceived}
	if err := insertFile(ctx, tx, file); err != nil {
		return nil, err
	}
	if err := setPackageFile(ctx, tx, p, file.key); err != nil {
		return nil, err
	}
	return file, s.queueFile(ctx, tx, file, []string{exchange.Products})
}

// failPackages lets the full packages to which a file may belong archive nothing: the file could not be imported, so
// its goods are not known.
func failPackages(ctx context.Context, tx store.Tx, file sessionFile) error {
	session, err := sessionByKey(ctx, tx, file.sessionKey)
	if errors.Is(err, database.ErrNoRows) || err == nil && session.Kind != catalogKind {
		return nil
	}
	if err != nil {
		return err
	}
	return setPackageProblem(ctx, tx, packageFileFailed, file.key)
}

// endSessionPackages ends the packages whose last file came in a session, and returns the files that stand for the
// ends, also of those that have ended before.
func (s *Service) endSessionPackages(
	ctx context.Context, tx store.Tx, session Session,
) (files []sessionFile, err error) {
	packages, err := packagesOfSession(ctx, tx, session.Key)
	if err != nil {
		return nil, err
	}

	for _, p := range packages {
		if p.fileKey != nil {
			files = append(files, sessionFile{key: *p.fileKey})
			continue
		}

		open, err := lockOpenPackage(ctx, tx, p.catalog)
		if errors.Is(err, database.ErrNoRows) {
			continue // another node has ended it
		}
		if err != nil {
			return nil, err
		}

		file, err := s.endPackage(ctx, tx, open)
		if err != nil {
			return nil, err
		}

		files = append(files, *file)
	}

	return files, nil
}

// findMissing makes the run that archives what a package lacks: its items withdraw offers, and its end archives goods.
func (m *fileMapping) findMissing(ctx context.Context) error {
	var ended fullPackage
	var anyMissing bool
	var offers, missing int64

	err := m.s.DB.Snapshot(ctx, func(q querier) (err error) {
		tx := store.In(q, m.storeID)
		if ended, err = packageByFile(ctx, tx, m.file.key); err != nil {
			return err
		}

		anyMissing, err = hasMissing(ctx, tx, ended)
		if err != nil || !ended.hasOffers || ended.problem != "" { // the run says what the problem is
			return err
		}

		offers, missing, err = countOffers(ctx, tx, ended)
		return err
	})
	if errors.Is(err, database.ErrNoRows) || err == nil && !anyMissing || m.state.settings.Missing != MissingArchive {
		return nil
	}

	if err != nil {
		return err
	}

	body, err := m.newBody(ctx, exchange.Products)
	if err != nil {
		return err
	}

	m.bodies[exchange.Products] = body
	err = m.s.write(ctx, func(q querier) error {
		return setPackageRun(ctx, store.In(q, m.storeID), ended, body.run.Key)
	})
	if err != nil || missing == 0 {
		return err
	}

	return m.withdrawMissing(ctx, ended, offers, missing)
}

// withdrawMissing adds items that archive the missing offers, or one that says that they are too many.
func (m *fileMapping) withdrawMissing(ctx context.Context, ended fullPackage, offers, missing int64) error {
	var after listedRow
	for {
		list, err := database.Read(ctx, m.s.DB, func(q querier) ([]listedRow, error) {
			return missingOffers(ctx, store.In(q, m.storeID), ended, after, listedBatch)
		})
		if err != nil || len(list) == 0 {
			return err
		}

		if exchange.ExceedsShare(missing, offers, missingArchiveShare) {
			return m.item(ctx, commerceml.Item{Entity: exchange.Products, Part: commerceml.Seen,
				JSON: append(wire.AppendJSON([]byte(`{"id":`), list[0].good), '}'),
				Warnings: []fault.Field{fault.NewField("variants", "archive_refused", "%d of the %d offers of the "+
					"catalogue are missing from the full package of 1C, more than a fifth. None of them was "+
					"archived.", missing, offers)}})
		}

		after = list[len(list)-1]

		for len(list) > 0 {
			n := slices.IndexFunc(list, func(o listedRow) bool { return o.good != list[0].good })
			if n < 0 {
				n = len(list)
			}
			if err := m.item(ctx, withdrawal(list[:n])); err != nil {
				return err
			}
			list = list[n:]
		}
	}
}

// withdrawal returns the item that archives offers of one good.
func withdrawal(offers []listedRow) commerceml.Item {
	line := append(wire.AppendJSON([]byte(`{"id":`), offers[0].good), `,"variants":[`...)
	for i, o := range offers {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(wire.AppendJSON(append(line, `{"id":`...), o.offer), '}')
	}
	return commerceml.Item{Entity: exchange.Products, Part: commerceml.Withdrawn, JSON: append(line, `]}`...)}
}

// missingProducts returns the keys of the products that a full package of 1C lacks, for the run that archives them. It
// returns fault.Conflict if they exceed MaxArchiveShare of the goods of the catalogue, or if the package has a problem.
func missingProducts(ctx context.Context, tx store.Tx, run *exchange.Run) ([]int64, error) {
	ended, err := packageByRun(ctx, tx, run.Key)
	if errors.Is(err, database.ErrNoRows) {
		return nil, nil // the run has waited too long
	}
	if err != nil {
		return nil, err
	}
	if ended.problem != "" {
		return nil, ended.problem.fault()
	}

	live, missing, err := countGoods(ctx, tx, ended)
	if err != nil {
		return nil, err
	}

	if exchange.ExceedsShare(missing, live, run.MaxArchiveShare) {
		return nil, fault.New(fault.Conflict, "archive_refused", "%d of the %d goods of the catalogue are missing "+
			"from the full package of 1C, more than a fifth. None of them was archived.", missing, live)
	}

	return missingGoods(ctx, tx, ended)
}

// fault returns the fault of a run that archives nothing because of the problem.
func (p packageProblem) fault() error {
	switch p {
	case tooManyCatalogs:
		return fault.New(fault.Conflict, "archive_refused", "A file of the full package of 1C has goods or offers of "+
			"more than %d catalogues, so it is not known which goods are missing. Nothing was archived. Send fewer "+
			"catalogues in a file.",
			commerceml.MaxCatalogs)
	case tooManyListed:
		return fault.New(fault.Conflict, "archive_refused", "Far more goods and offers have come from 1C than the "+
			"shop has, so it is not known which goods are missing. Nothing was archived.")
	case packageFileFailed:
	}
	return fault.New(fault.Conflict, "archive_refused", "A file of the full package of 1C could not be imported, so "+
		"it is not known which goods are missing. Nothing was archived. Send all goods again.")
}

// compare orders rows by their keys.
func (r listedRow) compare(other listedRow) int {
	return cmp.Or(strings.Compare(r.good, other.good), strings.Compare(r.offer, other.offer))
}
