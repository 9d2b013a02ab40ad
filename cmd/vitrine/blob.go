package main

import (
	"context"
	"fmt"

	"vitrine/internal/app"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
)

type blobCopyCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	Target string `arg:"" help:"A folder, or s3://bucket/prefix?endpoint=… like --blob. Its keys are in the URL, or those of --blob."`
}

// Run copies the images. It can be repeated: files that are there already are skipped.
func (c *blobCopyCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		r, err := core.CopyImages(ctx, c.Storage, c.Files, blob.Config{URL: c.Target, AccessKey: c.BlobAccessKey,
			SecretKey: c.BlobSecretKey})
		if err != nil {
			return err
		}
		fmt.Fprintf(o.out, "Copied %s files of images (%s bytes) to %s; %s were there already.\n",
			formatCount(int64(r.Copied)), formatCount(r.Bytes), app.WithoutCredentials(c.Target),
			formatCount(int64(r.Present)))
		fmt.Fprintln(o.out, "To use them, stop all servers, copy once more, "+
			"run vitrine blob accept with the new --blob, and\n"+
			"start the servers with it.")
		return nil
	})
}

type blobAcceptCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	Force bool `help:"Also if the folder or bucket belongs to another database, which must be gone for good." env:"-"`
}

// Run makes --blob the image storage of the database. No server may be running.
func (c *blobAcceptCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		if err := core.AcceptImageStorage(ctx, c.Storage, c.Files, c.Force); err != nil {
			return err
		}
		fmt.Fprintf(o.out, "%s is now the image storage of this database. Start all servers with it; vitrine check "+
			"finds\n"+
			"images whose files are missing.\n", app.WithoutCredentials(c.BlobURL(c.Storage)))
		return nil
	})
}
