package main

import (
	"context"
	"fmt"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
)

type backupCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	Target string `arg:"" help:"A new directory, or a new file whose name ends in .tar." type:"path"`
}

// Run backs up a SQLite database. A server may be running on it.
func (c *backupCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	r, err := app.Backup(ctx, c.Storage, c.Files, c.Target)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%s holds the database (%d bytes) and %s.\n", c.Target, r.DatabaseBytes, imagesText(r))
	if r.ImagesElsewhere {
		fmt.Fprintln(o.out, "The images are in a bucket and are not part of it: copy them with the tools of the bucket.")
	}
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

	Source string `arg:"" help:"What vitrine backup wrote: a directory or a .tar file." type:"path"`
	Force  bool   `help:"Replace an existing database. All that is in it is lost." env:"-"`
}

// Run restores a backup. No server may be running on the database.
func (c *restoreCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	r, err := app.Restore(ctx, c.Storage, c.Files, c.Source, c.Force)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "Restored the database (%d bytes) and %s.\n", r.DatabaseBytes, imagesText(r))
	if r.ImagesElsewhere {
		fmt.Fprintln(o.out, "The images are in a bucket, to which nothing was copied.")
	}
	fmt.Fprintln(o.out, "Start vitrine serve: it sends the webhooks and mails that were pending in the backup.\n"+
		"For a copy beside the original, start vitrine serve --no-background: it sends and removes nothing.")
	return nil
}

func imagesText(r app.BackupReport) string {
	return fmt.Sprintf("%d files of images (%d bytes)", r.Images, r.ImageBytes)
}
