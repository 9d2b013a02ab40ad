// Package check looks for damage and broken rules in a database and its image storage (Run), and collects what helps to
// find the cause of a problem (Diagnose). It changes nothing.
package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/webhook"
)

// maxExamples is how many problems of a kind a report describes. It counts all.
const maxExamples = 10

// eventMargin keeps events out of the check that the server may be removing right now.
const eventMargin = time.Hour

// Options say what Run reads.
type Options struct {
	// NoImages leaves out the files of images.
	NoImages bool
	// EventRetention is how long events are kept; 0 means for ever. A change of an order that is older needs no
	// event, and neither does one whose event an earlier, shorter retention has deleted.
	EventRetention time.Duration
}

// Report is the result of Run.
type Report struct {
	OK        bool      `json:"ok"`
	Engine    string    `json:"engine"`
	CheckedAt time.Time `json:"checked_at"`
	Problems  int64     `json:"problems"`
	// Checks has an element for each rule, whether it is broken or not.
	Checks []*Result `json:"checks"`
	// Images is nil if the files were left out.
	Images *imagefile.CheckedFiles `json:"images"`
	// ParkedJobs is the number of jobs that were set aside, because processes died while they ran them. They are no
	// damage.
	ParkedJobs int64 `json:"parked_jobs"`
	// Tables has the number of rows of each table.
	Tables map[string]int64 `json:"tables"`
}

// Result says how often a rule is broken.
type Result struct {
	Name     string   `json:"name"`
	Rule     string   `json:"rule"`
	Problems int64    `json:"problems"`
	Examples []string `json:"examples"`
	// Skipped is the reason why the rule was not checked, or empty.
	Skipped string `json:"skipped"`
}

func (c *Result) add(text string) {
	if c.Problems++; len(c.Examples) < maxExamples {
		c.Examples = append(c.Examples, text)
	}
}

// addNext is add as a function for rows.
func (c *Result) addNext(text string) error {
	c.add(text)
	return nil
}

// Run looks for damage of the database, rows that break the rules of the shop, and files of images that are missing
// or that nobody needs. It changes nothing, and a server may be running: the database is read in one snapshot, and
// files are compared with its present state. Problems are no error. It returns an error if there is no database or if
// it has another schema.
func Run(
	ctx context.Context, cfg config.Storage, files config.Files, o Options, log *slog.Logger,
) (r *Report, err error) {
	if err := app.RequireDatabase(cfg); err != nil {
		return nil, err
	}

	db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Readers: 1, Log: log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	status, err := db.SchemaStatus(ctx)
	if err != nil {
		return nil, err
	}
	if status.Version == 0 {
		return nil, app.NoShopError(cfg)
	}

	if status.Version != status.Known {
		return nil, fmt.Errorf("the database has the schema %d, and this program checks the schema %d. Run vitrine "+
			"migrate first, or use the program of the other version", status.Version, status.Known)
	}

	r = &Report{Engine: db.Engine(), CheckedAt: time.Now().UTC().Truncate(time.Second)}
	if err := r.checkDatabase(ctx, db, o); err != nil {
		return nil, err
	}
	if err := r.checkIndexes(ctx, db); err != nil {
		return nil, err
	}
	if err := r.checkImages(ctx, db, cfg, files, o); err != nil {
		return nil, err
	}

	for _, c := range r.Checks {
		r.Problems += c.Problems
	}

	r.OK = r.Problems == 0
	return r, nil
}

// rule adds the result of a check. If the check itself fails, that is a problem: a damaged file cannot be read.
func (r *Report) rule(
	ctx context.Context, name, text string, check func(*Result) error,
) error {
	c := &Result{Name: name, Rule: text, Examples: []string{}}
	r.Checks = append(r.Checks, c)
	if err := check(c); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.add(fmt.Sprintf("the check failed: %v", err))
	}
	return nil
}

// checkDatabase reads the database in one snapshot.
func (r *Report) checkDatabase(ctx context.Context, db *database.DB, o Options) error {
	return db.ReadWith(ctx, database.Long, true, func(q database.Querier) error {
		if err := database.WithoutTimeout(ctx, q); err != nil {
			return err
		}

		r.Checks = nil

		// A statement that fails would end the transaction of all rules on PostgreSQL.
		rule := func(name, text string, check func(*Result) error) error {
			return r.rule(ctx, name, text, func(c *Result) error {
				return database.InSavepoint(ctx, q, func() error { return check(c) })
			})
		}
		err := rule("integrity", "the database is not damaged", func(c *Result) error {
			return database.FindDamage(ctx, q, c.addNext)
		})
		if err == nil {
			err = rule("references", "no row refers to a row that does not exist", func(c *Result) error {
				if db.Engine() == database.Postgres {
					c.Skipped = "PostgreSQL enforces its foreign keys"
				}
				return database.FindBrokenReferences(ctx, q, c.addNext)
			})
		}

		for _, v := range checkedInvariants() {
			if err == nil {
				err = rule(v.name, v.rule, func(c *Result) error { return v.eachViolation(ctx, q, c.addNext) })
			}
		}

		if err == nil {
			err = rule("order_events", "every change of an order's state has its event", func(c *Result) error {
				since, err := webhook.PrunedBefore(ctx, q)
				if err != nil {
					return err
				}

				if expired := time.Now().Add(eventMargin - o.EventRetention); o.EventRetention > 0 &&
					expired.After(since) {
					since = expired
				}

				return eachOrderWithoutEvent(ctx, q, since, c.addNext)
			})
		}

		if err == nil {
			err = rule("tables", "all rows can be counted", func(*Result) (err error) {
				r.Tables, err = database.CountRows(ctx, q)
				r.ParkedJobs = r.Tables["parked_jobs"]
				return err
			})
		}

		return err
	})
}

// checkIndexes checks the indexes of PostgreSQL, which is possible only with an extension.
func (r *Report) checkIndexes(ctx context.Context, db *database.DB) error {
	if db.Engine() != database.Postgres {
		return nil
	}
	return r.rule(ctx, "indexes", "the indexes fit their tables", func(c *Result) error {
		checked, err := db.CheckIndexes(ctx, c.add)
		if err == nil && !checked {
			c.Skipped = "the extension amcheck is not installed in the database, or this user may not use it"
		}
		return err
	})
}

func (r *Report) checkImages(
	ctx context.Context, db *database.DB, cfg config.Storage, files config.Files, o Options,
) (err error) {
	missing := &Result{Name: "image_files", Rule: "every image has its file", Examples: []string{}}
	orphans := &Result{Name: "orphaned_files", Rule: "every file belongs to an image", Examples: []string{}}
	storage := &Result{Name: "image_storage", Rule: "--blob is the image storage of this database",
		Examples: []string{}}
	r.Checks = append(r.Checks, missing, orphans, storage)

	if o.NoImages {
		missing.Skipped = "--no-images"
		orphans.Skipped = "--no-images"
		storage.Skipped = "--no-images"
		return nil
	}

	blobs, err := app.OpenBlobs(ctx, cfg, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()

	state, err := imagefile.FindStorageState(ctx, db, blobs)
	if err != nil {
		return fmt.Errorf("--blob: %w", err)
	}

	if err := app.ImageStorageError(state, app.WithoutCredentials(files.BlobURL(cfg))); err != nil {
		storage.add(err.Error())
	}

	counts, err := imagefile.Check(ctx, db, blobs, time.Now(),
		imagefile.CheckReport{Missing: missing.add, Orphan: orphans.add})
	r.Images = &counts
	return err
}

func numberText(n *int64) string {
	if n == nil {
		return "nothing"
	}
	return strconv.FormatInt(*n, 10)
}
