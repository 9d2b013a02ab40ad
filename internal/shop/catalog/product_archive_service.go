package catalog

import (
	"context"
	"time"

	"vitrine/internal/shop/store"
)

// ArchivedProduct is a product, by its row, and when it was archived.
type ArchivedProduct struct {
	Key int64
	At  time.Time
}

// ArchiveAll takes products out of the shop, by their rows, and returns those that were in it until now, in the order of their keys.
// All of them are archived at that time, by which RestoreAll knows them again.
func (s *Products) ArchiveAll(ctx context.Context, tx store.Tx, keys []int64, at time.Time) (archived []int64, err error) {
	locked, err := lockArchived(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	for _, p := range locked {
		if p.archivedAt == nil {
			archived = append(archived, p.key)
		}
	}
	if len(archived) == 0 {
		return nil, nil
	}
	if err := archiveProducts(ctx, tx, archived, at); err != nil {
		return nil, err
	}
	return archived, s.recordChanges(ctx, tx, archived...)
}

// RestoreAll brings products back, by their rows: those that have been archived since the time that is told of each. Others, which
// were restored or archived anew in between, are left alone. It returns the rows that came back, in the order of their keys.
func (s *Products) RestoreAll(ctx context.Context, tx store.Tx, list []ArchivedProduct) (restored []int64, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	if err := lockPushes(ctx, tx); err != nil {
		return nil, err
	}
	keys, since := make([]int64, len(list)), make(map[int64]int64, len(list))
	for i, p := range list {
		keys[i], since[p.Key] = p.Key, p.At.UnixMicro()
	}
	locked, err := lockArchived(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	for _, p := range locked {
		if p.archivedAt != nil && *p.archivedAt == since[p.key] {
			restored = append(restored, p.key)
		}
	}
	if len(restored) == 0 {
		return nil, nil
	}
	if err := restoreProducts(ctx, tx, restored, s.now()); err != nil {
		return nil, err
	}
	return restored, s.recordChanges(ctx, tx, restored...)
}
