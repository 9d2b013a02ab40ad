package exchange

import (
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange/commerceml"
)

// The limits of the import of a file of 1C. Package commerceml has those of what a file may have.
const (
	// importTimeout is how long reading and mapping a file may take. A gigabyte takes some minutes.
	importTimeout = time.Hour
	// mappedChunkBytes is the number of bytes of a body that are held while a file is mapped to it. There may be a body
	// for each entity.
	mappedChunkBytes = 256 << 10
	// importMemory is what an import takes besides what the file makes it hold: chunks of the file and a compressor.
	importMemory = 3 << 20
	// minImportRoom is what an import may take even if it is more than a quarter of the share.
	minImportRoom = 8 << 20
)

// importRoom returns the memory that the import of one file may take.
func (s *Service) importRoom(held *memory.Grant) *commerceml.Room {
	return commerceml.NewRoom(held, min(max(held.AtMost(), minImportRoom), s.ImportShare.StoreLimit()))
}

// errImportTooSlow is the fault of a file whose import was stopped.
func errImportTooSlow() error {
	return fault.New(fault.TooLarge, "import_too_slow",
		"Reading the file took more than %d minutes, so it was stopped. Send it in smaller files.",
		int(importTimeout.Minutes()))
}
