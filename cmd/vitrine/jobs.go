package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/store"
)

// maxParkedJobs is how many parked jobs the commands read.
const maxParkedJobs = 10_000

// parkedFlags select parked jobs.
type parkedFlags struct {
	config.Storage `embed:""`

	Store string `help:"Only jobs of the store with this id." placeholder:"ID"`
	Kind  string `help:"Only jobs of this kind, such as exchange.commerceml." placeholder:"KIND" env:"-"`
}

// list returns the selected jobs.
func (f *parkedFlags) list(ctx context.Context, core *app.Core, jobs *queue.Queue) ([]queue.ParkedJob, error) {
	return database.Read(ctx, core.DB, func(q database.Querier) ([]queue.ParkedJob, error) {
		return jobs.Parked(ctx, q, f.Store, f.Kind, maxParkedJobs)
	})
}

type jobsListCommand struct {
	parkedFlags

	JSON bool `help:"Print one JSON array and nothing else."`
}

type parkedJSON struct {
	ID       int64     `json:"id"`
	Kind     string    `json:"kind"`
	StoreID  string    `json:"store_id"`
	Name     string    `json:"name,omitzero"`
	Deaths   int       `json:"deaths"`
	AddedAt  time.Time `json:"added_at"`
	ParkedAt time.Time `json:"parked_at"`
}

// Run lists the parked jobs. A server may be running on the same database.
func (c *jobsListCommand) Run(ctx context.Context, o output) error {
	return withCore(ctx, c.Storage, o, func(core *app.Core) error {
		list, err := c.list(ctx, core, core.NewJobs())
		if err != nil {
			return err
		}

		if c.JSON {
			printed := []parkedJSON{}
			for _, j := range list {
				printed = append(printed, parkedJSON{ID: j.Key, Kind: j.Kind, StoreID: j.Owner, Name: j.UniqueName,
					Deaths: j.Deaths, AddedAt: j.AddedAt, ParkedAt: j.ParkedAt})
			}
			return printJSON(o.out, printed)
		}

		if len(list) == 0 {
			fmt.Fprintln(o.out, "No job is parked.")
			return nil
		}

		rows := [][]string{{"ID", "KIND", "STORE", "NAME", "DEATHS", "ADDED", "PARKED"}}
		for _, j := range list {
			rows = append(rows, []string{strconv.FormatInt(j.Key, 10), j.Kind, j.Owner, j.UniqueName,
				strconv.Itoa(j.Deaths), formatTime(&j.AddedAt, ""), formatTime(&j.ParkedAt, "")})
		}

		return writeTable(o.out, rows)
	})
}

// changeParkedFlags say which parked jobs a command changes.
type changeParkedFlags struct {
	parkedFlags

	ID  []int64 `arg:"" optional:"" help:"Ids of parked jobs, as vitrine jobs list prints them."`
	All bool    `help:"All parked jobs, or all of --store and --kind." env:"-"`
}

// each calls change in a transaction of its own for each of the jobs, and records it in the log of the store. A job
// that cannot be changed does not keep it from the others. It returns an error if there were such jobs.
func (f *changeParkedFlags) each(
	ctx context.Context, o output, action audit.Action, done string,
	change func(jobs *queue.Queue, tx database.Querier, key int64) (queue.ParkedJob, error),
) error {
	if f.All == (len(f.ID) > 0) {
		return fault.New(fault.Invalid, "jobs_required", "Give the ids of the jobs, or --all.")
	}
	return withCore(ctx, f.Storage, o, func(core *app.Core) error {
		jobs := core.NewJobs()
		keys := f.ID
		if f.All {
			list, err := f.list(ctx, core, jobs)
			if err != nil {
				return err
			}
			for _, j := range list {
				keys = append(keys, j.Key)
			}
		}

		failed := 0
		for _, key := range keys {
			var job queue.ParkedJob
			err := core.DB.Write(ctx, func(q database.Querier) (err error) {
				if job, err = change(jobs, q, key); err != nil {
					return err
				}
				return recordParked(ctx, core, q, action, job)
			})
			if err != nil {
				failed++
				fmt.Fprintf(o.err, "vitrine: job %d: %v\n", key, err)
				continue
			}

			fmt.Fprintf(o.out, "%s: job %d, %s %s\n", done, job.Key, job.Kind, job.UniqueName)
		}

		if failed > 0 {
			return fmt.Errorf("%d of %d jobs were left as they are", failed, len(keys))
		}

		return nil
	})
}

// recordParked writes an entry of the log of the job's store.
func recordParked(ctx context.Context, core *app.Core, q database.Querier, action audit.Action,
	job queue.ParkedJob) error {
	storeID, err := id.Parse[store.Store](job.Owner)
	if err != nil {
		return nil //nolint:nilerr // the job belongs to no store
	}
	return audit.Record(ctx, byCommand(core, q, storeID), audit.Entry{Action: action, Object: audit.Object{
		Kind: "job", ID: strconv.FormatInt(job.Key, 10), Label: job.Kind}})
}

type jobsRetryCommand struct {
	changeParkedFlags
}

// Run makes parked jobs due. A running server starts them within a second.
func (c *jobsRetryCommand) Run(ctx context.Context, o output) error {
	return c.each(ctx, o, audit.JobRetried, "To be tried again",
		func(jobs *queue.Queue, tx database.Querier, key int64) (queue.ParkedJob, error) {
			return jobs.Unpark(ctx, tx, c.Store, key)
		})
}

type jobsDiscardCommand struct {
	changeParkedFlags
}

// Run gives up parked jobs.
func (c *jobsDiscardCommand) Run(ctx context.Context, o output) error {
	return c.each(ctx, o, audit.JobDiscarded, "Discarded",
		func(jobs *queue.Queue, tx database.Querier, key int64) (queue.ParkedJob, error) {
			return jobs.Discard(ctx, tx, c.Store, key)
		})
}
