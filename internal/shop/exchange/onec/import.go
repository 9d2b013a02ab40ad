package onec

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/store"
)

const (
	// jobKind is the kind of the jobs that map files of 1C to runs. The files of a store are mapped one after the
	// other.
	jobKind = "exchange.commerceml"
	// importWait is how long a request waits for an import before it answers progress. 1C gives up after some time.
	importWait = 10 * time.Second
	// importPoll is when a waiting request looks at the import for the second time. Each further pause is a tenth of
	// the time that has passed, between importPoll and maxImportPoll: small files end soon, and many requests may wait
	// for large ones.
	importPoll    = 20 * time.Millisecond
	maxImportPoll = time.Second
	// maxNamedNotKept limits the names of unknown things in the answer to a file that has nothing else.
	maxNamedNotKept = 10
)

// ImportState says how far an import is.
type ImportState struct {
	Done bool
	// Problem says why the import failed. It is empty if it did not.
	Problem string
	// Text says how far it is, and Warnings that some data was left out, for people. Warnings is empty if there are
	// none.
	Text, Warnings string
}

// ImportFile says what is to be imported.
type ImportFile struct {
	// Name is the name of a file that came, or of one inside an archive.
	Name string
	// Entities are those that the token may push.
	Entities []string
}

// Import begins to import a file of the current session, if it was not begun before, and waits a while for its end. The
// import goes on in the background. It returns fault.NotFound if the session has no such file.
func (s *Service) Import(ctx context.Context, by Login, what ImportFile) (st ImportState, err error) {
	defer fault.AddContext(&err, "import a file of 1C in store %s", by.Store)

	if err := CheckFileName(what.Name); err != nil {
		return st, err
	}

	session, err := s.currentSession(ctx, by, sessionRequest{name: what.Name})
	if err != nil {
		return st, err
	}
	file, err := s.findFile(ctx, by, session, what.Name)
	if err != nil {
		return st, err
	}

	if file.state == fileReceived {
		err := s.write(ctx, func(q querier) error {
			return s.queueFile(ctx, store.In(q, by.Store), &file, what.Entities)
		})
		if err != nil {
			return st, err
		}
	}

	return s.waitForImport(ctx, by, file)
}

// findFile returns a file of a session. A file inside an archive gets a row of its own. It returns fault.NotFound or,
// if the archive is broken, fault.Malformed.
func (s *Service) findFile(ctx context.Context, by Login, session Session, name string) (sessionFile, error) {
	storeID := by.Store
	file, err := database.Read(ctx, s.DB, func(q querier) (sessionFile, error) {
		return latestFile(ctx, store.In(q, storeID), session.Key, name)
	})
	known := err == nil
	if err != nil && !errors.Is(err, database.ErrNoRows) || known && file.archive == nil {
		return file, err
	}

	p := &sessionPackage{ctx: ctx, s: s, storeID: storeID, session: session.Key, admit: by.Slots.Heavy}
	defer p.close()

	if known {
		archives, err := p.archiveFiles()
		if err != nil || len(archives) > 0 && archives[0].key == *file.archive {
			return file, err // no archive is newer than the one that has the file
		}
	}

	entry, err := p.findInArchives(name)
	if known && (err != nil || entry.archive.file.key == *file.archive) {
		return file, nil //nolint:nilerr // a newer archive that is broken does not matter
	}

	if errors.Is(err, errNoEntry) {
		return file, fault.New(fault.NotFound, "no_such_file",
			"The file %.100q has not come in this exchange. Send it with mode=file, or begin again with "+
				"mode=init.", name)
	}

	if err != nil {
		return file, err
	}

	// Files of the same kind get their rows, too: goods are missing only when all of them are imported.
	names, err := p.ofKind(entry, name)
	p.freeSlot()
	if err != nil {
		return file, err
	}

	names = append(names, name)
	archiveKey := entry.archive.file.key

	err = s.write(ctx, func(q querier) error {
		tx := store.In(q, storeID)
		rows := int64(0)
		for _, name := range names {
			// Another request may have inserted it.
			file, err = latestFile(ctx, tx, session.Key, name)
			if err == nil && (file.archive == nil || *file.archive >= archiveKey) {
				continue
			}
			if err != nil && !errors.Is(err, database.ErrNoRows) {
				return err
			}

			file = sessionFile{sessionKey: session.Key, name: name, archive: &archiveKey, state: fileReceived}
			if err := insertFile(ctx, tx, &file); err != nil {
				return err
			}

			rows += fileBytes(name)
		}

		if err := addSessionBytes(ctx, tx, session.Key, rows); err != nil {
			return err
		}

		// The next archive with the name of this one is another file.
		return setFileState(ctx, tx, archiveKey, filePushed, "")
	})

	return file, err
}

// queueFile queues the import of a file in the caller's transaction.
func (s *Service) queueFile(ctx context.Context, tx store.Tx, file *sessionFile, entities []string) error {
	current, err := fileByKey(ctx, tx, file.key)
	if err != nil {
		return err
	}

	if *file = current; file.state != fileReceived {
		return nil // another request has queued it
	}
	if err := setSessionImported(ctx, tx, file.sessionKey); err != nil {
		return err
	}

	file.state = fileQueued
	if err := setFileState(ctx, tx, file.key, fileQueued, ""); err != nil {
		return err
	}

	return s.Queue.Add(ctx, tx.Unscoped(), queue.Job{Kind: jobKind, Lane: tx.StoreID().String(),
		UniqueName: fileJobName(file.key), Payload: fileRef{tx.StoreID(), file.key, entities}.payload()})
}

// fileJobName returns the unique name of the job that imports a file.
func fileJobName(key int64) string { return strconv.FormatInt(key, 10) }

// fileRef is the payload of a job that imports a file: its store, its key and the entities that may be pushed.
type fileRef struct {
	storeID  store.ID
	key      int64
	entities []string
}

func (r fileRef) payload() []byte {
	id := r.storeID.Bytes()
	return append(binary.BigEndian.AppendUint64(id[:], uint64(r.key)), strings.Join(r.entities, " ")...)
}

// owner returns the store's id, by which parked jobs are listed.
func (r fileRef) owner() string { return r.storeID.String() }

func parseFileRef(b []byte) (r fileRef, err error) {
	const refBytes = 24
	if len(b) < refBytes {
		return r, fmt.Errorf("job payload has %d bytes, want at least %d", len(b), refBytes)
	}
	return fileRef{
		storeID:  store.ID(b[:16]),
		key:      int64(binary.BigEndian.Uint64(b[16:refBytes])),
		entities: strings.Fields(string(b[refBytes:])),
	}, nil
}

// waitForImport waits up to importWait for the end of an import. If the server is too busy to look at it, the import
// goes on, and 1C asks again.
func (s *Service) waitForImport(ctx context.Context, by Login, file sessionFile) (st ImportState, err error) {
	began := time.Now()
	for {
		st, err = s.pollImport(ctx, by, file)
		if isBusy := fault.KindOf(err) == fault.Unavailable || fault.KindOf(err) == fault.TooMany; isBusy {
			return ImportState{Text: "The file is being imported; the server is busy."}, nil
		}
		if err != nil || st.Done || time.Since(began) > importWait {
			return st, err
		}

		pause := min(max(importPoll, time.Since(began)/10), maxImportPoll)
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// pollImport looks at an import once, in a slot of its own.
func (s *Service) pollImport(ctx context.Context, by Login, file sessionFile) (st ImportState, err error) {
	release, err := by.Slots.Poll.wait(ctx)
	if err != nil {
		return st, err
	}
	defer release()

	err = s.DB.Snapshot(ctx, func(q querier) (err error) {
		st, err = s.importState(ctx, store.In(q, by.Store), file)
		return err
	})
	return st, err
}

// importState reads how far the import of a file is.
func (s *Service) importState(ctx context.Context, tx store.Tx, file sessionFile) (st ImportState, err error) {
	if file, err = fileByKey(ctx, tx, file.key); err != nil {
		return st, err
	}
	switch file.state {
	case fileReceived, fileQueued:
		return ImportState{Text: "The file is being read."}, nil
	case fileFailed, fileParked:
		return ImportState{Done: true, Problem: file.problem}, nil
	case filePushed:
	}
	return s.runsState(ctx, tx, file)
}

// runsState reads how far the runs of a file are.
func (s *Service) runsState(ctx context.Context, tx store.Tx, file sessionFile) (st ImportState, err error) {
	st.Done = true
	var counts exchange.Counts
	var notKept []string
	for _, entity := range commerceml.Entities() {
		key, found := file.runs[entity]
		if !found {
			continue
		}
		run, err := s.Exchange.Runs.FindByKey(ctx, tx, key)
		if fault.KindOf(err) == fault.NotFound {
			continue // it was deleted because of its age
		}
		if err != nil {
			return st, err
		}

		for _, n := range run.NotKept {
			notKept = append(notKept, n.What)
		}

		counts.Received += run.Received
		counts.Failed += run.Failed
		counts.Warnings += run.Warnings

		if run.FinishedAt == nil {
			st.Done = false
		} else if run.Problem != nil && (run.Problem.Code != "archive_refused" || file.name == missingFile) {
			st.Problem = run.Problem.Message
		}
	}

	switch {
	case counts.Received == 0 && st.Done && len(notKept) > 0:
		st.Text = fmt.Sprintf("Nothing in the file is known here. It has: %s.",
			strings.Join(notKept[:min(len(notKept), maxNamedNotKept)], ", "))
	case counts.Received == 0 && st.Done && file.name != missingFile:
		st.Text = "The file has nothing to apply."
	default:
		st.Text = fmt.Sprintf("%d items were applied, %d failed.", counts.Received-counts.Failed, counts.Failed)
	}

	if counts.Warnings > 0 {
		st.Warnings = fmt.Sprintf("Warnings: %d. The administration shows under Exchange what was left out and why.",
			counts.Warnings)
	}

	if !st.Done {
		st.Problem = ""
	}

	return st, nil
}

// Deactivate ends the full packages of the current session, so that what is missing from them is archived, if the store
// wants it. It waits like Import.
func (s *Service) Deactivate(ctx context.Context, by Login) (st ImportState, err error) {
	defer fault.AddContext(&err, "archive missing goods of 1C in store %s", by.Store)

	session, err := s.currentSession(ctx, by, sessionRequest{})
	if err != nil {
		return st, err
	}

	var files []sessionFile

	err = s.write(ctx, func(q querier) error {
		tx := store.In(q, by.Store)
		state, err := selectStoreState(ctx, tx)
		if err != nil {
			return err
		}

		if state.settings.Missing != MissingArchive {
			st = ImportState{Done: true, Text: "Missing goods are kept, as the store's settings say."}
			return nil
		}

		files, err = s.endSessionPackages(ctx, tx, session)
		if err == nil && len(files) == 0 {
			st = ImportState{Done: true, Text: "The exchange had no full catalogue, so nothing is missing."}
		}

		return err
	})
	for _, file := range files {
		if err != nil || st.Problem != "" {
			break
		}
		if st, err = s.waitForImport(ctx, by, file); !st.Done {
			break
		}
	}

	return st, err
}

// CompleteSession ends the exchange and its full packages. Its imports go on.
func (s *Service) CompleteSession(ctx context.Context, by Login) (err error) {
	defer fault.AddContext(&err, "complete an exchange of 1C in store %s", by.Store)
	session, err := s.currentSession(ctx, by, sessionRequest{})
	if err != nil {
		return err
	}
	return s.write(ctx, func(q querier) error {
		tx := store.In(q, by.Store)
		if _, err := s.endSessionPackages(ctx, tx, session); err != nil {
			return err
		}
		return completeSessions(ctx, tx, session, s.now())
	})
}

// mayPush reports whether the token of the file may push an entity.
func (r fileRef) mayPush(entity string) bool { return slices.Contains(r.entities, entity) }
