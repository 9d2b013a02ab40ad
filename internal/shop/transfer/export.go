package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// chunkBytes is the size from which rows become an entry of the archive, before compression.
const chunkBytes = 1 << 20

// Export writes a store to w, with its images. It reads the state at one moment, while the shop goes on. Secrets are
// encrypted with the passphrase, or with the secret key of this installation if it is empty.
func (s *Service) Export(
	ctx context.Context, storeID store.ID, w io.Writer, passphrase string,
) (sum Summary, err error) {
	secrets, info, err := newExportSealer(s.Vault, passphrase)
	if err != nil {
		return sum, err
	}
	schema, err := s.DB.SchemaStatus(ctx)
	if err != nil {
		return sum, err
	}

	if err := s.recordExport(ctx, storeID); err != nil {
		return sum, err
	}
	err = s.DB.ReadWith(ctx, database.Long, true, func(q database.Querier) error {
		if err := withoutTimeouts(ctx, q); err != nil {
			return err
		}
		e := &export{Service: s, q: q, tx: store.In(q, storeID), w: newArchiveWriter(w, s.Now()), secrets: secrets,
			rows: map[string]int64{}}
		if e.name, err = storeName(ctx, q, storeID); err != nil {
			return err
		}
		if err := e.run(ctx, schema.Version, info); err != nil {
			return err
		}
		sum = Summary{StoreID: storeID, Name: e.name, Rows: e.count, Images: e.images}
		return nil
	})
	if err != nil {
		return sum, fmt.Errorf("export store %s: %w", storeID, err)
	}
	return sum, nil
}

// recordExport writes to the log of the store that all its data is about to leave.
func (s *Service) recordExport(ctx context.Context, storeID store.ID) error {
	return s.DB.Write(ctx, func(q database.Querier) error {
		name, err := storeName(ctx, q, storeID)
		if err != nil {
			return err
		}
		return s.record(ctx, store.In(q, storeID), audit.StoreExported, name)
	})
}

// export is a running export.
type export struct {
	*Service
	q       database.Querier
	tx      store.Tx
	w       *archiveWriter
	secrets sealer
	name    string

	images ImageCount
	rows   map[string]int64
	count  int64
	packer *zstd.Encoder
}

func (e *export) run(ctx context.Context, schema int64, info secretInfo) error {
	last, err := lastKey(ctx, e.q)
	if err != nil {
		return err
	}
	err = e.w.addJSON(headerName, header{Format: formatName, Version: formatVersion, Program: e.Program, Schema: schema,
		ExportedAt: e.Now().UTC(), StoreID: e.tx.StoreID(), StoreName: e.name, LastKey: last, Secrets: info})
	if err != nil {
		return err
	}

	// The images first: the import stores them before its transaction begins.
	if err := eachImage(ctx, e.tx, func(im storedImage) error { return e.addImage(ctx, im) }); err != nil {
		return fmt.Errorf("images: %w", err)
	}

	if e.packer, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
		return err
	}
	for _, t := range tables() {
		if err := e.addTable(ctx, &t); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}

	images := ImageCount{Files: e.images.Files, Bytes: e.images.Bytes}
	err = e.w.addJSON(manifestName, manifest{Entries: e.w.entries, SHA256: e.w.digest(), Rows: e.rows, Images: images})
	if err != nil {
		return err
	}
	return e.w.tar.Close()
}

// addImage adds the original file of an image. Thumbnails are made again. An image may have been deleted meanwhile.
func (e *export) addImage(ctx context.Context, im storedImage) error {
	name := im.File(imagefile.Original)
	file, err := e.Blobs.Open(ctx, imagefile.BlobName(e.tx.StoreID(), im.id, name))
	if errors.Is(err, blob.ErrNotFound) {
		e.images.Missing++
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()

	e.images.Files++
	e.images.Bytes += file.Size()
	e.report(Progress{Images: e.images.Files})
	return e.w.add(imagesFolder+im.id.String()+"/"+name, file.Size(), file)
}

// addTable adds the rows of a table.
func (e *export) addTable(ctx context.Context, t *table) error {
	list := t.stored()
	chunks := 0
	var lines []byte
	flush := func() error {
		if len(lines) == 0 {
			return nil
		}
		chunks++
		packed := e.packer.EncodeAll(lines, nil)
		lines = lines[:0]
		e.report(Progress{Images: e.images.Files, Rows: e.count, Table: t.name})
		return e.w.add(fmt.Sprintf("%s%s/%08d%s", rowsFolder, t.name, chunks, rowsSuffix), int64(len(packed)),
			bytes.NewReader(packed))
	}

	err := t.eachStored(ctx, e.q, e.tx.StoreID(), func(row []any) (err error) {
		if err := e.seal(t, list, row); err != nil {
			return err
		}
		if lines, err = appendRow(lines, row); err != nil {
			return err
		}
		e.rows[t.name]++
		e.count++
		if len(lines) < chunkBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

func (e *export) seal(t *table, list []column, row []any) error {
	if t.hasJobs() {
		return e.secrets.resealJob(t, row)
	}
	return e.secrets.resealRow(list, row)
}
