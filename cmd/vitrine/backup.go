package main

import (
	"cmp"
	"context"
	"fmt"

	"vitrine/internal/app"
	"vitrine/internal/app/backup"
	"vitrine/internal/kit/config"
)

type backupCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	bucketFlags `embed:""`
	NoImages    bool   `help:"Leave out the images."`
	Target      string `arg:"" help:"A new directory, or s3://bucket/prefix?endpoint=… like --blob."`
}

// bucketFlags are the credentials of a bucket with backups.
type bucketFlags struct {
	BackupAccessKey string `help:"Access key of the bucket of the backup, if its URL has none; by default that of --blob. Best given as VITRINE_BACKUP_ACCESS_KEY." placeholder:"KEY" hidden:""`
	BackupSecretKey string `help:"Secret key of the bucket of the backup, if its URL has none; by default that of --blob. Best given as VITRINE_BACKUP_SECRET_KEY." placeholder:"KEY" hidden:""`
}

func (f bucketFlags) options(target string, files config.Files, noImages bool) backup.Options {
	return backup.Options{Target: target, AccessKey: cmp.Or(f.BackupAccessKey, files.BlobAccessKey),
		SecretKey: cmp.Or(f.BackupSecretKey, files.BlobSecretKey), NoImages: noImages, Version: version}
}

// Run backs up a SQLite database. A server may be running on it.
func (c *backupCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	r, err := backup.Create(ctx, c.Storage, c.Files, c.options(c.Target, c.Files, c.NoImages))
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%s holds the database (%d bytes) and %s.\n", app.WithoutCredentials(c.Target), r.DatabaseBytes,
		backupImagesText(r))
	fmt.Fprintf(o.out, "The secret key is not part of it: keep %s in another place. A restore needs it.\n", c.keyName())
	return nil
}

// keyName names the secret key for people.
func (c *backupCommand) keyName() string {
	if c.SecretKey != "" {
		return "VITRINE_SECRET_KEY"
	}
	return c.KeyFile()
}

type restoreCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	bucketFlags `embed:""`
	NoImages    bool   `help:"Restore only the database."`
	Source      string `arg:"" help:"What vitrine backup wrote: a directory, or s3://bucket/prefix?endpoint=…"`
	Force       bool   `help:"Replace an existing database. All that is in it is lost." env:"-"`
}

// Run restores a backup. No server may be running on the database.
func (c *restoreCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	r, err := backup.Restore(ctx, c.Storage, c.Files, c.options(c.Source, c.Files, c.NoImages), c.Force)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "Restored the database (%d bytes) and %s.\n", r.DatabaseBytes, backupImagesText(r))
	fmt.Fprintln(o.out, "All files have the checksums of the backup's manifest.")
	fmt.Fprintln(o.out, "Start vitrine serve: it sends the webhooks and mails that were pending in the backup.\n"+
		"For a copy beside the original, start vitrine serve --no-background: it sends and removes nothing.")
	return nil
}

func backupImagesText(r backup.Report) string {
	return fmt.Sprintf("%d files of images (%d bytes)", r.Images, r.ImageBytes)
}
