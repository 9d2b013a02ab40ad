package app

import (
	"context"
	"log/slog"

	"vitrine/internal/kit/config"
	"vitrine/internal/shop/transfer"
)

// OpenTransfer returns a service that exports and imports stores, on the image storage of the database. The caller
// calls the function that it returns at the end.
func (c *Core) OpenTransfer(
	ctx context.Context, storage config.Storage, files config.Files, version string, progress func(transfer.Progress),
) (*transfer.Service, func() error, error) {
	_, blobs, err := c.OpenImages(ctx, storage, files, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	return transfer.New(transfer.Deps{DB: c.DB, Blobs: blobs, Vault: c.Vault, Now: c.Now, Program: version,
		Progress: progress}), blobs.Close, nil
}
