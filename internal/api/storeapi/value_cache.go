package storeapi

import (
	"vitrine/internal/kit/cache"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// valueCacheKey identifies the rendered values of an option. Every change of them changes the version of the option, so
// a cached entry is never stale, on any node. The time of the change tells the version from one that the database lost.
type valueCacheKey struct {
	storeID store.ID
	id      catalog.AttributeID
	version int64
	// updatedAt is in microseconds.
	updatedAt int64
}

func newValueCacheKey(storeID store.ID, a catalog.Attribute) valueCacheKey {
	return valueCacheKey{storeID, a.ID, a.Version, a.UpdatedAt.UnixMicro()}
}

// valueCache caches the rendered values of options.
type valueCache = cache.Cache[valueCacheKey, []byte]

func newValueCache(share *memory.Share) *valueCache {
	return cache.NewShared(share, func(_ valueCacheKey, rendered []byte) int { return len(rendered) },
		func(key valueCacheKey) cache.Owner { return key.storeID.Bytes() })
}
