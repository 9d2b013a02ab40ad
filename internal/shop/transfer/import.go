package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const (
	// keyGap is how many keys others may take on PostgreSQL while an import reserves its own.
	keyGap = 1 << 20
	// maxChunk limits the rows of an entry. A chunk ends with the row that makes it larger than chunkBytes.
	maxChunk = 256 << 20
	// batchRows is the number of rows of one statement.
	batchRows = 500
	// combineRows is the number of variants whose combinations are computed together.
	combineRows = 1000
	// putsAtOnce is how many images are stored at the same time, if none is larger than smallImage.
	putsAtOnce = 8
	smallImage = 2 << 20
	// maxImage limits the size of an image. Nobody can upload such a large one.
	maxImage = 4 * imagefile.MaxBytes
	// maxLastKey limits the keys of an archive, so that each installation has keys left for many of them.
	maxLastKey = 1 << 53
)

// Import reads an archive and creates its store. The store exists with all that it has, or not at all.
func (s *Service) Import(ctx context.Context, r io.Reader, passphrase string) (Summary, error) {
	i := &importing{Service: s, r: newArchiveReader(r), rows: map[string]int64{}, lost: map[string]int64{},
		newAccounts: map[rowID]bool{}}
	if err := i.begin(ctx, passphrase); err != nil {
		return Summary{}, err
	}

	err := i.run(ctx)
	if err != nil {
		return Summary{}, errors.Join(fmt.Errorf("import store %s: %w", i.header.StoreID, err), i.removeImages(ctx))
	}
	return Summary{StoreID: i.header.StoreID, Name: i.header.StoreName, Rows: i.count, Images: i.images,
		Lost: i.lost}, nil
}

// importing is a running import.
type importing struct {
	*Service
	r       *archiveReader
	header  header
	secrets sealer
	// sameKey says that the store was exported from an installation with the same secret key.
	sameKey bool

	images ImageCount
	stored []imagefile.ID
	rows   map[string]int64
	count  int64
	lost   map[string]int64

	offset   int64
	accounts map[rowID]rowID
	// newAccounts are those of the archive that this installation does not have.
	newAccounts map[rowID]bool
	unpacker    *zstd.Decoder
	writing     bool
}

// begin reads the header and refuses archives that cannot be imported.
func (i *importing) begin(ctx context.Context, passphrase string) (err error) {
	if i.header, err = i.r.readHeader(); err != nil {
		return err
	}
	h := &i.header
	if h.Version != formatVersion {
		return fmt.Errorf("the archive has the format %d, and this program reads the format %d: use vitrine %s",
			h.Version, formatVersion, h.Program)
	}

	schema, err := i.DB.SchemaStatus(ctx)
	if err != nil {
		return err
	}
	if h.Schema != schema.Version {
		return fmt.Errorf("the archive was written by vitrine %s with the schema %d, and this database has the "+
			"schema %d: give both installations the same version of vitrine, and export the store again",
			h.Program, h.Schema, schema.Version)
	}

	if h.LastKey < 0 || h.LastKey > maxLastKey {
		return errAltered
	}
	if err := i.refuseExisting(ctx); err != nil {
		return err
	}
	i.sameKey = i.Vault.MatchesKeyCheck(h.Secrets.Check)
	i.secrets, err = newImportSealer(i.Vault, h.Secrets, passphrase)
	return err
}

func (i *importing) refuseExisting(ctx context.Context) error {
	exists, err := database.Read(ctx, i.DB, func(q database.Querier) (bool, error) {
		return storeExists(ctx, q, i.header.StoreID)
	})
	if err == nil && exists {
		err = fmt.Errorf("the store %s exists in this database already", i.header.StoreID)
	}
	return err
}

func (i *importing) run(ctx context.Context) (err error) {
	name, size, err := i.storeImages(ctx)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(name, rowsFolder) {
		return errAltered
	}
	i.unpacker, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk))
	if err != nil {
		return err
	}
	defer i.unpacker.Close()

	if i.DB.Engine() == database.Postgres {
		// Sequences do not take part in transactions. The lock lasts for this one only.
		err := i.DB.Write(ctx, func(q database.Querier) (err error) {
			i.offset, err = reserveKeys(ctx, q, i.header.LastKey, keyGap)
			return err
		})
		if err != nil {
			return err
		}
	}

	return i.DB.WriteAlone(ctx, func(q database.Querier) error {
		if i.writing {
			return errors.New("another transaction was in the way: import the archive again")
		}
		i.writing = true
		return i.write(ctx, q, name, size)
	})
}

// storeImages stores the images. It returns the first entry that is not one.
func (i *importing) storeImages(ctx context.Context) (name string, size int64, err error) {
	group, grouped := errgroup.WithContext(ctx)
	group.SetLimit(putsAtOnce)
	wait := func(err error) error { return errors.Join(err, group.Wait()) }

	for {
		name, size, err = i.r.next()
		if err != nil || !strings.HasPrefix(name, imagesFolder) {
			return name, size, wait(err)
		}

		imageID, target, err := i.blobName(strings.TrimPrefix(name, imagesFolder))
		if err == nil && size > maxImage {
			err = errAltered
		}
		if err != nil {
			return "", 0, wait(err)
		}
		i.stored = append(i.stored, imageID)
		if size > smallImage {
			if err := i.Blobs.PutFrom(grouped, target, i.r, size); err != nil {
				return "", 0, wait(err)
			}
		} else {
			content, err := io.ReadAll(i.r)
			if err != nil || grouped.Err() != nil {
				return "", 0, wait(err)
			}
			group.Go(func() error { return i.Blobs.Put(grouped, target, content) })
		}

		i.images.Files++
		i.images.Bytes += size
		i.report(Progress{Images: i.images.Files})
	}
}

// blobName returns the image of an entry, and where its file is stored.
func (i *importing) blobName(entry string) (imageID imagefile.ID, name string, err error) {
	folder, file, _ := strings.Cut(entry, "/")
	imageID, err = id.Parse[imagefile.Image](folder)
	if err != nil || !imagefile.IsOriginal(file) {
		return imageID, "", errAltered
	}
	return imageID, imagefile.BlobName(i.header.StoreID, imageID, file), nil
}

// removeImages removes what a failed import has stored.
func (i *importing) removeImages(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if i.refuseExisting(ctx) != nil {
		return nil
	}
	for _, imageID := range i.stored {
		if err := i.Blobs.Remove(ctx, imagefile.Folder(i.header.StoreID, imageID)); err != nil {
			return fmt.Errorf("remove the images that were stored: %w", err)
		}
	}
	return nil
}

// write inserts the rows, from the present entry on, and compares them with the manifest.
func (i *importing) write(ctx context.Context, q database.Querier, name string, size int64) (err error) {
	if err := withoutTimeouts(ctx, q); err != nil {
		return err
	}
	if q.Dialect().Engine == database.SQLite {
		if i.offset, err = reserveKeys(ctx, q, i.header.LastKey, 0); err != nil {
			return err
		}
	}

	list := tables()
	at := 0
	for name != manifestName {
		// The tables come in their order.
		folder := rowsFolder + list[at].name + "/"
		if !strings.HasPrefix(name, folder) {
			if at++; at == len(list) {
				return errAltered
			}
			continue
		}

		if err := i.writeChunk(ctx, q, &list[at], size); err != nil {
			return fmt.Errorf("table %s: %w", list[at].name, err)
		}
		if name, size, err = i.r.next(); err != nil {
			return err
		}
	}

	if err := i.r.check(size, i.rows, i.images); err != nil {
		return err
	}
	tx := store.In(q, i.header.StoreID)
	if err := i.combine(ctx, tx); err != nil {
		return err
	}
	return i.record(ctx, tx, audit.StoreImported, i.header.StoreName)
}

// writeChunk inserts the rows of the present entry.
func (i *importing) writeChunk(ctx context.Context, q database.Querier, t *table, size int64) error {
	packed, err := i.r.readAll(size, maxChunk)
	if err != nil {
		return err
	}
	chunk, err := i.unpacker.DecodeAll(packed, nil)
	if err != nil {
		return errors.Join(errAltered, err)
	}

	list := t.stored()
	if t.name == "accounts" {
		if err := i.findAccounts(ctx, q, t, chunk); err != nil {
			return err
		}
	}

	batch := t.newBatch()
	err = eachRow(chunk, list, func(row []any) error {
		i.rows[t.name]++
		i.count++
		keep, err := i.adapt(t, list, row)
		if err != nil || !keep {
			return err
		}

		batch.Add(row...)
		if batch.Len() < batchRows {
			return nil
		}
		err = t.insertRows(ctx, q, batch)
		batch = t.newBatch()
		return err
	})
	if err != nil {
		return err
	}

	i.report(Progress{Images: i.images.Files, Rows: i.count, Table: t.name})
	return t.insertRows(ctx, q, batch)
}

// newBatch returns an empty batch with the stored columns.
func (t *table) newBatch() *database.Batch {
	var kinds []database.ColumnType
	for _, c := range t.stored() {
		kinds = append(kinds, c.kind)
	}
	return database.NewBatch(kinds...)
}

// findAccounts looks for the accounts of a chunk in this installation.
func (i *importing) findAccounts(ctx context.Context, q database.Querier, t *table, chunk []byte) (err error) {
	batch := database.NewBatch(database.UUID, database.Text)
	err = eachRow(chunk, t.stored(), func(row []any) error {
		batch.Add(row[t.index("id")], row[t.index("email")])
		return nil
	})
	if err != nil {
		return err
	}

	known, err := knownAccounts(ctx, q, batch)
	if i.accounts == nil {
		i.accounts = map[rowID]rowID{}
	}
	for there, here := range known {
		i.accounts[there] = here
	}
	return err
}

// adapt changes a row for this installation. It returns false if the row is not needed here.
func (i *importing) adapt(t *table, list []column, row []any) (keep bool, err error) {
	for n, c := range list {
		switch c.role {
		case ofStore:
			if row[n] != any(rowID(i.header.StoreID)) {
				return false, errAltered
			}
		case ofRow:
			if key, _ := row[n].(int64); key <= 0 || key > i.header.LastKey {
				return false, errAltered // it could be that of another row, now or later
			}
		case ofAccount:
			there, _ := row[n].(rowID)
			here, known := i.accounts[there]
			switch {
			case known && t.name != "operators":
				return false, nil // the account is as it is here
			case known:
				row[n] = here
			case t.name == "accounts":
				i.newAccounts[there] = true
			case !i.newAccounts[there]:
				return false, errAltered
			}
		}
	}

	if strings.HasPrefix(t.name, "idempotency") && !i.sameKey {
		return false, nil // the requests could not be recognised
	}
	if keep, err := i.adaptSecrets(t, list, row); err != nil || !keep {
		return false, err
	}
	return true, renumber(t, list, row, i.offset)
}

// adaptSecrets encrypts the secrets of a row with the key of this installation, or removes them. It returns false if
// the row makes no sense without them.
func (i *importing) adaptSecrets(t *table, list []column, row []any) (keep bool, err error) {
	switch {
	case t.hasJobs():
		form, _, _, err := jobOf(t, row)
		if err != nil {
			return false, err
		}
		if !form.isOf(i.header.StoreID, t, row) {
			return false, errAltered
		}
		if form.sealedFor != "" && i.secrets.from == nil {
			i.lost["messages"]++
			return false, nil
		}
		return true, i.secrets.resealJob(t, row)

	case i.secrets.from == nil:
		return i.secrets.dropSecrets(t, row, i.lost), nil
	}
	return true, i.secrets.resealRow(list, row)
}

// combine computes the combinations of the variants again, which are digests of keys.
func (i *importing) combine(ctx context.Context, tx store.Tx) error {
	if i.offset == 0 {
		return nil
	}
	for last := int64(0); ; {
		keys, err := combinedVariants(ctx, tx, last, combineRows)
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := catalog.RecomputeCombinations(ctx, tx, keys); err != nil {
			return err
		}
		last = keys[len(keys)-1]
	}
}
