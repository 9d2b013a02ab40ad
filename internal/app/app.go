package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/notify"
	"vitrine/internal/shop/privacy"
	"vitrine/internal/shop/store"
)

// Core is the open database and the services that every command uses.
type Core struct {
	DB       *database.DB
	Now      func() time.Time
	Vault    *vault.Vault
	Stores   *store.Service
	Access   *access.Service
	Accounts *account.Service
	Audit    *audit.Service

	clock *database.Clock // nil if the caller of NewCore has its own
}

// Open creates the data directory, opens and migrates the database, and checks that the secret key belongs to it. For a
// new database it creates the secret key. It does not use the replica, which is only for the reads of a server.
func Open(ctx context.Context, cfg config.Storage, log *slog.Logger) (*Core, error) {
	cfg.DatabaseReplica = ""
	return openCore(ctx, cfg, openOptions{create: true}, log)
}

// OpenExisting is Open for a database with a shop. It creates no directory, file, table or key: without a shop it
// returns an error that says what to do.
func OpenExisting(ctx context.Context, cfg config.Storage, log *slog.Logger) (*Core, error) {
	cfg.DatabaseReplica = ""
	return openCore(ctx, cfg, openOptions{}, log)
}

// openOptions say how openCore opens a database.
type openOptions struct {
	// create says that a shop may be created.
	create bool
	// locked says that the process holds the lock of the SQLite file.
	locked bool
}

func openCore(ctx context.Context, cfg config.Storage, o openOptions, log *slog.Logger) (*Core, error) {
	if !o.create {
		if err := RequireDatabase(cfg); err != nil {
			return nil, err
		}
	} else if err := MakeDataDir(cfg); err != nil {
		return nil, err
	}

	v, err := ReadVault(cfg)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}

	db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), ListenURL: cfg.ListenDatabase,
		ReplicaURL: cfg.DatabaseReplica, TimelineFile: cfg.TimelineFile(), KeepTimelineFile: !o.create,
		Locked: o.locked, Log: log})
	if err != nil {
		return nil, err
	}

	if !o.create {
		if err := requireShop(ctx, db, cfg); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}

	if v == nil {
		if v, err = createVault(ctx, db, cfg); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}

	clock, err := database.NewClock(ctx, db, time.Now, log)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}

	core, err := NewCore(ctx, db, v, clock.Now, log)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}

	core.clock = clock
	return core, nil
}

// NewCore migrates an open database, checks that the secret key belongs to it, and creates the services. All of them
// use now as their clock. On an error the database stays open.
func NewCore(
	ctx context.Context, db *database.DB, v *vault.Vault, now func() time.Time, log *slog.Logger,
) (*Core, error) {
	if err := db.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := store.CheckVault(ctx, db, v); err != nil {
		return nil, err
	}
	stores := store.New(store.Deps{DB: db, Now: now})
	keys := access.New(access.Deps{DB: db, Stores: stores, Now: now, Log: log})
	return &Core{
		DB: db, Now: now, Vault: v, Stores: stores, Audit: &audit.Service{Now: now}, Access: keys,
		Accounts: account.New(account.Deps{DB: db, Stores: stores, Keys: keys, Vault: v, Now: now,
			Log: log}),
	}, nil
}

// Close closes the database.
func (c *Core) Close() error { return c.DB.Close() }

// NewPrivacy returns a service that erases and exports the data of people, without retentions.
func (c *Core) NewPrivacy() *privacy.Service {
	return privacy.New(privacy.Deps{DB: c.DB, Audit: c.Audit, Now: c.Now,
		Notify: notify.New(notify.Deps{DB: c.DB, Vault: c.Vault, Now: c.Now})})
}

// CreateStore creates a store with an owner and a key of each kind.
func (c *Core) CreateStore(
	ctx context.Context, e store.Edit, owner account.NewOwner,
) (account.ProvisionedStore, error) {
	return c.provision(ctx, e, owner, func(context.Context, database.Querier) (bool, error) { return true, nil })
}

// FirstStore creates the first store of a new database, with these settings. It returns nil if there is a store
// already. If several nodes start at the same time, only one of them creates it.
func (c *Core) FirstStore(ctx context.Context, e store.Edit) (*account.ProvisionedStore, error) {
	n, err := c.Stores.Count(ctx)
	if err != nil || n > 0 {
		return nil, err
	}
	p, err := c.provision(ctx, e, account.NewOwner{}, c.Stores.ClaimFirst)
	if err != nil || p.StoreID.IsZero() {
		return nil, err
	}
	return &p, nil
}

// provision creates a store in one transaction if claim returns true; otherwise the result is zero.
func (c *Core) provision(
	ctx context.Context, e store.Edit, newOwner account.NewOwner,
	claim func(context.Context, database.Querier) (bool, error),
) (p account.ProvisionedStore, err error) {
	owner, err := c.Accounts.Operators.PrepareProvision(ctx, newOwner)
	if err != nil {
		return p, err
	}

	err = c.DB.Write(ctx, func(q database.Querier) error {
		p = account.ProvisionedStore{}
		claimed, err := claim(ctx, q)
		if err != nil || !claimed {
			return err
		}

		s, err := c.Stores.Create(ctx, q, e)
		if err != nil {
			return err
		}

		p, err = c.Accounts.Operators.Provision(ctx, store.In(q, s.ID), owner)
		return err
	})

	return p, err
}
