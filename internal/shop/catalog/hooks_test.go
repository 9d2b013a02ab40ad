package catalog

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// What the tests in package catalog_test use of this package in addition to its exported names.
const (
	AnalyzeProductsSQL   = analyzeProductsSQL
	EstimatedProductsSQL = estimatedProductsSQL
	ChangeTTL            = changeTTL
	MaxLinksPerTx        = maxLinksPerTx
	MaxListedChanges     = maxListedChanges
	MaxOrderedValues     = maxOrderedValues
	MinAnalyzeProducts   = minAnalyzeProducts
	PruneChunkSize       = pruneChunkSize
	StagedLifetime       = stagedLifetime
)

type (
	DeletionPosition = deletionPosition
	ProductAnalyzer  = productAnalyzer
)

func HashCombination(values []int64, pending []ReferencePush) []byte {
	return hashCombination(values, pending)
}

func ListAttributes(
	ctx context.Context, tx store.Tx, kind Kind, search string, limit, offset int64,
) ([]Attribute, int64, error) {
	return listAttributes(ctx, tx, kind, search, limit, offset)
}

func PruneChunk(ctx context.Context, tx store.Tx, from, upTo, before int64) (last, deleted int64, err error) {
	return pruneChunk(ctx, tx, from, upTo, before)
}

func UpdateCombinations(ctx context.Context, tx store.Tx, variantKeys []int64) error {
	return updateCombinations(ctx, tx, variantKeys)
}

func (s *Attributes) Purge(ctx context.Context, db *database.DB) error { return s.purge(ctx, db) }

func (s *Staged) Attribute() Attribute { return s.a }

func (s *Deletions) CompleteChunk(ctx context.Context, tx store.Tx, p *DeletionPosition) (more bool, err error) {
	return s.completeChunk(ctx, tx, p)
}

func (s *Products) SetKeptChanges(n int64) { s.keptChanges = n }

func (d *Downloader) SetBusyDelay(delay time.Duration) { d.busyDelay = delay }

func (d *Downloader) StoreRetryError(err error) error { return d.storeRetryError(err) }

// SetDownloads replaces the guard and the queue of downloads. Nil values turn them off.
func (s *Service) SetDownloads(guard *outbound.Guard, queue *queue.Queue) {
	s.Links.Downloads = nil
	if guard != nil {
		s.Links.Downloads = &DownloadQueue{guard, queue}
	}
}

func (ws *ProductWrites) UpdateProducts(ctx context.Context) error { return ws.updateProducts(ctx) }

func (ws *ProductWrites) WriteVariants(ctx context.Context) error { return ws.writeVariants(ctx) }
