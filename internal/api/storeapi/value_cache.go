package storeapi

import (
	"vitrine/internal/kit/cache"
	"vitrine/internal/shop/catalog"
)

// maxValueCacheBytes limits the memory of the cache, in bytes.
const maxValueCacheBytes = 8 << 20

// valueCacheKey identifies the rendered values of an option. Every change of them changes the version of the option, so
// a cached entry is never stale, on any node.
type valueCacheKey struct {
	id      catalog.AttributeID
	version int64
}

// valueCache caches the rendered values of options.
type valueCache = cache.Cache[valueCacheKey, []byte]

func newValueCache() *valueCache {
	return cache.New(maxValueCacheBytes, func(_ valueCacheKey, rendered []byte) int { return len(rendered) })
}
