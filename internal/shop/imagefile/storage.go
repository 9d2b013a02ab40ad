package imagefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

const (
	// markerFile is a file in the image storage that says to which database it belongs. The name of a file of an image
	// begins with the id of a store, so that none is equal to it.
	markerFile = "vitrine/storage.json"
	// maxMarker limits the size of a marker.
	maxMarker = 4096
	// markerTimeout limits how long ClaimStorage waits for the storage while it holds a transaction.
	markerTimeout = 3 * time.Second
)

// StorageID identifies an image storage: a folder, or a prefix of a bucket.
type StorageID = id.Of[Files]

// marker is the content of markerFile.
type marker struct {
	Database store.DatabaseID `json:"database_id"`
	Storage  StorageID        `json:"storage_id"`
}

// StorageState says whether an image storage belongs to a database. The storage has a marker with the id of its
// database and an id of its own, and the database has the id of its storage. A copy of a database has both ids of the
// original.
type StorageState string

// The states of an image storage.
const (
	// StorageOwn: the storage belongs to the database.
	StorageOwn StorageState = "own"
	// StorageNew: the database has no storage yet, and the storage belongs to no other database. ClaimStorage connects
	// the two.
	StorageNew StorageState = "new"
	// StorageUnmarked: the database has another storage, and this one has no marker.
	StorageUnmarked StorageState = "unmarked"
	// StorageOther: the storage belonged to this database earlier, or belongs to a copy of the database.
	StorageOther StorageState = "other"
	// StorageForeign: the storage belongs to another database.
	StorageForeign StorageState = "foreign"
)

// FindStorageState compares a storage with a database. It changes neither. Its error is a fault.Unavailable if one of
// the two cannot be reached.
func FindStorageState(ctx context.Context, db *database.DB, blobs blob.Store) (StorageState, error) {
	databaseID, err := store.LookUpDatabaseID(ctx, db)
	if err != nil {
		return "", err
	}

	// The database first: the marker of a storage is written before the storage belongs to the database.
	own, err := database.Read(ctx, db, func(q database.Querier) (StorageID, error) { return selectStorageID(ctx, q) })
	known := !errors.Is(err, database.ErrNoRows)
	if err != nil && known {
		return "", fmt.Errorf("read the id of the image storage: %w", err)
	}

	m, marked, err := readMarker(ctx, blobs)
	if err != nil {
		return "", err
	}

	switch {
	case !marked && !known:
		return StorageNew, nil
	case !marked:
		return StorageUnmarked, nil
	case m.Database != databaseID:
		return StorageForeign, nil
	case !known:
		return StorageNew, nil
	case m.Storage != own:
		return StorageOther, nil
	}

	return StorageOwn, nil
}

// ClaimStorage compares a storage with a database. If the database has no storage yet and the storage belongs to no
// other database, it connects the two. If several nodes call it at the same time with different storages, one of them
// gets StorageOwn, and the storages of the others stay as they are.
func ClaimStorage(ctx context.Context, db *database.DB, blobs blob.Store) (StorageState, error) {
	// The id of the database first: otherwise another node may create it and write its marker meanwhile.
	databaseID, err := store.FindDatabaseID(ctx, db)
	if err != nil {
		return "", err
	}
	state, err := FindStorageState(ctx, db, blobs)
	if err != nil || state != StorageNew {
		return state, err
	}

	if err := blobs.Check(ctx); err != nil { // a storage that does not work would hold up the transaction
		return "", err
	}

	// The marker is written within the transaction, while the inserts of other nodes wait. If the process ends before
	// the commit, the storage has a marker and the database none, and the next call takes the id from the marker.
	err = db.WriteAlone(ctx, func(q database.Querier) error {
		ctx, cancel := context.WithTimeout(ctx, markerTimeout)
		defer cancel()

		m, marked, err := readMarker(ctx, blobs)
		if err != nil {
			return err
		}
		if marked && m.Database != databaseID { // since FindStorageState
			return nil
		}

		if !marked {
			m = marker{databaseID, id.New[Files]()}
		}

		claimed, err := insertStorageID(ctx, q, m.Storage)
		if err != nil || !claimed || marked {
			return err
		}

		return writeMarker(ctx, blobs, m)
	})
	if err != nil {
		return "", err
	}

	return FindStorageState(ctx, db, blobs)
}

// AcceptStorage claims a storage for the database, whichever it had before. Unless force is true, it refuses a storage
// of another database: it then returns StorageForeign and changes nothing. A marker of this database stays as it is;
// any other one is replaced. Nodes that run with another storage notice it when they start again.
func AcceptStorage(
	ctx context.Context, db *database.DB, blobs blob.Store, force bool,
) (StorageState, error) {
	databaseID, err := store.FindDatabaseID(ctx, db)
	if err != nil {
		return "", err
	}
	m, marked, err := readMarker(ctx, blobs)
	if err != nil && !(force && errors.Is(err, errMarkerDamaged)) {
		return "", err
	}

	if foreign := m.Database != databaseID; !marked || foreign {
		if marked && !force {
			return StorageForeign, nil
		}
		m = marker{databaseID, id.New[Files]()}
		if err := writeMarker(ctx, blobs, m); err != nil {
			return "", err
		}
	}

	return StorageOwn, db.Write(ctx, func(q database.Querier) error { return updateStorageID(ctx, q, m.Storage) })
}

// ForgetStorage leaves the database without a storage: its next ClaimStorage gives it one.
func ForgetStorage(ctx context.Context, db *database.DB) error {
	return db.Write(ctx, func(q database.Querier) error { return deleteStorageID(ctx, q) })
}

// StorageOwner returns the database to which a storage belongs. ok is false if it belongs to none.
func StorageOwner(ctx context.Context, blobs blob.Store) (owner store.DatabaseID, ok bool, err error) {
	m, ok, err := readMarker(ctx, blobs)
	return m.Database, ok, err
}

// errMarkerDamaged is returned for a marker that cannot be parsed.
var errMarkerDamaged = errors.New("the file " + markerFile + " of the image storage is damaged; " +
	"vitrine blob accept --force replaces it")

// readMarker returns the marker of a storage, and whether there is one.
func readMarker(ctx context.Context, blobs blob.Store) (m marker, marked bool, err error) {
	f, err := blobs.Open(ctx, markerFile)
	if errors.Is(err, blob.ErrNotFound) {
		return marker{}, false, nil
	}
	if err != nil {
		return marker{}, false, err
	}
	defer func() { _ = f.Close() }()

	content, err := io.ReadAll(io.LimitReader(f, maxMarker))
	if err != nil {
		return marker{}, false, err
	}
	if err := json.Unmarshal(content, &m); err != nil {
		return marker{}, false, fmt.Errorf("%w: %w", errMarkerDamaged, err)
	}

	return m, true, nil
}

func writeMarker(ctx context.Context, blobs blob.Store, m marker) error {
	content, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return blobs.Put(ctx, markerFile, append(content, '\n'))
}
