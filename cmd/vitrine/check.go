package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"vitrine/internal/app/check"
	"vitrine/internal/kit/config"
)

type checkCommand struct {
	config.Storage `embed:""`
	config.Files   `embed:""`

	NoImages       bool          `help:"Do not look at the files of images." env:"-"`
	EventRetention time.Duration `help:"As for serve: every change of an order younger than this must have its event, unless an earlier retention has deleted it." default:"720h"`
	JSON           bool          `help:"Print one JSON object and nothing else." env:"-"`
}

// Run prints a report of the database and the images. Problems are exit code 1.
func (c *checkCommand) Run(ctx context.Context, o output) error {
	makeFilesPrivate()
	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r, err := check.Run(ctx, c.Storage, c.Files,
		check.Options{NoImages: c.NoImages, EventRetention: c.EventRetention}, log)
	if err != nil {
		return err
	}

	if c.JSON {
		err = printJSON(o.out, r)
	} else {
		err = printCheck(o.out, r)
	}

	if err == nil && !r.OK {
		return exitCode(1)
	}

	return err
}

// printCheck prints a report for people: a line for each rule, examples of problems, and the number of rows.
func printCheck(w io.Writer, r *check.Report) error {
	for _, c := range r.Checks {
		switch {
		case c.Problems > 0:
			fmt.Fprintf(w, "PROBLEM  %s: %s problems, rule: %s\n", c.Name, formatCount(c.Problems), c.Rule)
			for _, text := range c.Examples {
				fmt.Fprintln(w, "           "+text)
			}
			if more := c.Problems - int64(len(c.Examples)); more > 0 {
				fmt.Fprintf(w, "           and %s more\n", formatCount(more))
			}
		case c.Skipped != "":
			fmt.Fprintf(w, "skipped  %s: %s\n", c.Rule, c.Skipped)
		default:
			fmt.Fprintf(w, "ok       %s\n", c.Rule)
		}
	}

	if r.Images != nil {
		fmt.Fprintf(w, "\n%s images, %s files of images (%s bytes), %s other files\n", formatCount(r.Images.Images),
			formatCount(r.Images.Files), formatCount(r.Images.Bytes), formatCount(r.Images.Others))
	}

	fmt.Fprintln(w, "\nRows by table:")
	for _, table := range slices.Sorted(maps.Keys(r.Tables)) {
		fmt.Fprintf(w, "  %-24s %s\n", table, formatCount(r.Tables[table]))
	}

	if r.ParkedJobs > 0 {
		fmt.Fprintf(w, "\n%s jobs were set aside, because processes died while they ran them: vitrine jobs list.\n",
			formatCount(r.ParkedJobs))
	}

	if r.OK {
		_, err := fmt.Fprintln(w, "\nNo problems were found.")
		return err
	}

	_, err := fmt.Fprintf(w, "\n%s problems were found. docs/operations.md says what to do about each.\n",
		formatCount(r.Problems))
	return err
}
