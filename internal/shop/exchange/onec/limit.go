package onec

import (
	"errors"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/store"
)

// The limits of the import of a file of 1C. Package commerceml limits what a file may have.
const (
	// importTimeout is how long reading and mapping a file may take. A gigabyte takes some minutes.
	importTimeout = time.Hour
	// importPatience is how long an import waits for memory before its file fails.
	importPatience = time.Hour
	// importMemory is what an import takes besides what the file makes it hold: a compressor.
	importMemory = 768 << 10
)

// importSizes are the bytes that the parts of an import may hold. Together they are at most what a store may hold of
// ImportShare: an import that is alone fits, or fails with a message that says why it does not.
type importSizes struct {
	// chunks is the number of chunks that a package holds while its files are read, source what these, a packed one and
	// the decoder take.
	chunks int
	source int64
	// directory is for the directory of the archives.
	directory int64
	// room is for what the file makes the import hold, importMemory and the bodies. It is 0 if nothing is counted.
	room int64
	// body is what is held of a body while a file is mapped to it, before it is compressed. There may be a body for
	// each entity.
	body int
	// digests is for the digests of images. What the directory leaves is for them, too.
	digests int64
}

// importSizes divides what a store may hold of ImportShare.
func (s *Service) importSizes() importSizes {
	const (
		mostChunks               = 4
		leastBody, mostBody      = 32 << 10, 256 << 10
		chunkPart, bodyPart      = 8, 256
		mostDirectory, mostKnown = maxPackageEntries * entryBytes, maxKnownPictures * digestBytes
	)
	if s.ImportShare == nil {
		return importSizes{chunks: mostChunks, source: (mostChunks + 2) * exchange.ChunkBytes, directory: mostDirectory,
			body: mostBody, digests: mostKnown}
	}

	limit := s.ImportShare.StoreLimit()
	z := importSizes{
		chunks: int(min(max(limit/chunkPart/exchange.ChunkBytes, 1), mostChunks)),
		body:   int(min(max(limit/bodyPart, leastBody), mostBody)),
	}
	z.source = int64(z.chunks+2) * exchange.ChunkBytes
	z.room = max(min(limit/2, limit-z.source-limit/8), 1)
	z.directory = max(min(limit-z.source-z.room, mostDirectory), 0)
	z.digests = max(min(limit-z.source-z.room-z.directory, mostKnown), 0)

	return z
}

// bodies returns what the bodies of all entities and the recording take, plain and compressed.
func (z importSizes) bodies() int64 {
	return 2 * int64(z.body) * int64(len(commerceml.Entities())+recordingBodies)
}

// knownPictures returns the bytes for the digests of images if the directory takes so many bytes.
func (z importSizes) knownPictures(ofDirectory int64) int64 {
	return min(z.digests+max(z.directory-ofDirectory, 0), maxKnownPictures*digestBytes)
}

// importWaits has the imports that wait for memory on this node. A store has at most one, since its files are imported
// in order. It is safe for concurrent use.
type importWaits struct {
	mu    sync.Mutex
	since map[store.ID]waitingImport
}

// waitingImport is the key of a file and when it began to wait.
type waitingImport struct {
	file int64
	at   time.Time
}

// begin returns since when the import of a file has been waiting.
func (w *importWaits) begin(storeID store.ID, file int64, now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since == nil {
		w.since = map[store.ID]waitingImport{}
	}
	if w.since[storeID].file != file {
		w.since[storeID] = waitingImport{file, now}
	}
	return w.since[storeID].at
}

// end records that the store has no import that waits.
func (w *importWaits) end(storeID store.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.since, storeID)
}

// postponeImport returns the error of an attempt for which there was no memory. The attempt is repeated for
// importPatience; then the file fails, and the next files of the store are imported.
func (s *Service) postponeImport(t *importTask, cause error) error {
	s.giveUpPackages()
	storeID := t.Payload.storeID
	now := s.now()
	if now.Sub(s.importWaits.begin(storeID, t.Payload.key, now)) < importPatience {
		return queue.Postpone(exchange.RoomRetryDelay, cause)
	}
	s.importWaits.end(storeID)
	return queue.Abort(fault.New(fault.TooLarge, "no_memory_for_import",
		"For %d minutes the server had no memory for this file. Send it again when the shop has fewer requests in "+
			"progress, or start the server with more --memory.", int(importPatience.Minutes())))
}

// giveUpPackages gives up the packages and directories that are only kept for later use.
func (s *Service) giveUpPackages() {
	s.directories.giveUp()
	if s.pictures.mu.TryLock() { // else it is opening one, and has given up the last one
		s.pictures.drop()
		s.pictures.mu.Unlock()
	}
}

// lacksRoom reports whether an import failed because its store, or all stores, hold too much at the moment.
func lacksRoom(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && (f.Kind == fault.TooMany || f.Kind == fault.Unavailable && f.Code == "overloaded")
}

// errImportTooSlow is the fault of a file whose import was stopped.
func errImportTooSlow() error {
	return fault.New(fault.TooLarge, "import_too_slow",
		"Reading the file took more than %d minutes, so it was stopped. Send it in smaller files.",
		int(importTimeout.Minutes()))
}

// errPicturesTooLarge is the fault of a file whose images unpack to more than most bytes.
func errPicturesTooLarge(most int64) error {
	return fault.New(fault.TooLarge, "pictures_too_large", "The images that this file names unpack to more than %d "+
		"MiB, which is far more than came. Send the file and its images in several exchanges.", most>>20)
}
