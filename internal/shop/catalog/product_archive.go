package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// ArchivedProduct is the row key of a product and the time when it was archived.
type ArchivedProduct struct {
	Key int64
	At  time.Time
}

// ArchiveAll archives products by row key and returns the keys of those that were not archived before, in ascending
// order. All of them get the same archiving time, the parameter at, by which RestoreAll identifies them.
func (s *Products) ArchiveAll(
	ctx context.Context, tx store.Tx, keys []int64, at time.Time,
) (archived []int64, err error) {
	defer fault.AddContext(&err, "archive %d products", len(keys))
	if archived, err = ArchiveLive(ctx, tx, keys, at); err != nil {
		return nil, err
	}
	return archived, s.RecordChanges(ctx, tx, archived...)
}

// ArchiveLive archives the products that are not archived yet, and returns their keys. The caller records the changes.
func ArchiveLive(ctx context.Context, tx store.Tx, keys []int64, at time.Time) (archived []int64, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	err = lockProductRows(ctx, tx, keys, func(key int64, archivedAt *int64) {
		if archivedAt == nil {
			archived = append(archived, key)
		}
	})
	if err != nil {
		return nil, err
	}
	return archived, archiveProducts(ctx, tx, archived, at)
}

// RestoreAll restores those products whose archiving time is still the given one. Products that were restored or
// archived again in between are left alone. It returns the keys of the restored products in ascending order.
func (s *Products) RestoreAll(ctx context.Context, tx store.Tx, list []ArchivedProduct) (restored []int64, err error) {
	defer fault.AddContext(&err, "restore %d products", len(list))

	if len(list) == 0 {
		return nil, nil
	}
	if err := LockPushes(ctx, tx); err != nil {
		return nil, err
	}

	keys := make([]int64, len(list))
	since := make(map[int64]int64, len(list))
	for i, p := range list {
		keys[i], since[p.Key] = p.Key, p.At.UnixMicro()
	}

	err = lockProductRows(ctx, tx, keys, func(key int64, archivedAt *int64) {
		if archivedAt != nil && *archivedAt == since[key] {
			restored = append(restored, key)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := restoreProducts(ctx, tx, restored, s.Now()); err != nil {
		return nil, err
	}

	return restored, s.RecordChanges(ctx, tx, restored...)
}

// RestoreAny restores products by row key, whenever they were archived. It returns the keys of those that were
// archived, in ascending order.
func (s *Products) RestoreAny(ctx context.Context, tx store.Tx, keys []int64) (restored []int64, err error) {
	defer fault.AddContext(&err, "restore %d products", len(keys))

	if err := LockPushes(ctx, tx); err != nil {
		return nil, err
	}

	err = lockProductRows(ctx, tx, keys, func(key int64, archivedAt *int64) {
		if archivedAt != nil {
			restored = append(restored, key)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := restoreProducts(ctx, tx, restored, s.Now()); err != nil {
		return nil, err
	}

	return restored, s.RecordChanges(ctx, tx, restored...)
}
