// Package xlsx reads and writes the tables of XLSX files, row by row. It knows what Excel, LibreOffice, Google Sheets
// and 1C write. It reads values, not formulas or styles, and has hard bounds on what a file may unpack to, so that it
// may read the files of strangers. It knows nothing of what the tables are about.
package xlsx

import (
	"bytes"

	"vitrine/internal/kit/fault"
)

// Bounds on a file. Excel itself allows 1,048,576 rows, 16,384 columns and 32,767 characters in a cell.
const (
	// MaxFileBytes is the maximum size of a file, as it is stored.
	MaxFileBytes = 64 << 20
	maxRows      = 1 << 20
	maxColumns   = 1 << 14
	maxCells     = 20_000_000
	// maxDirectoryBytes limits what is read to find the parts of a file, and so their number.
	maxDirectoryBytes = 2 << 20
	// maxPartBytes limits the parts beside the sheet and the shared strings, maxSharedBytes the XML of these, and
	// maxSheetBytes the XML of a sheet. All are unpacked sizes.
	maxPartBytes   = 16 << 20
	maxSharedBytes = 256 << 20
	maxSheetBytes  = 1 << 30
	// maxSharedText limits the shared strings in memory, maxTokenBytes a token of XML, maxRowBytes the cells of a row,
	// and maxTextBytes all cells: a shared string may be in very many of them.
	maxSharedText = 32 << 20
	maxTokenBytes = 4 << 20
	maxRowBytes   = 8 << 20
	maxTextBytes  = 1 << 30
	maxMerges     = 100_000
	maxStyles     = 100_000
	maxSheets     = 1000
)

// LooksLike reports whether a file that begins with head is an XLSX file, or one that people take for it: a file of
// an older Excel, or an encrypted one. Open tells what is wrong with it.
func LooksLike(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, compoundMagic)
}

// compoundMagic begins a file of Excel before 2007, and an XLSX file with a password.
var compoundMagic = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// encryptedMark is the name of the stream of an encrypted file, in UTF-16.
var encryptedMark = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

// FileTooLong returns the fault of a file with more than MaxFileBytes.
func FileTooLong() error { return tooLarge("a file may have 64 MiB") }

func brokenFile(cause error) error {
	return fault.New(fault.Invalid, "broken_workbook",
		"The XLSX file is damaged or incomplete. Save it again, and choose it once more.").Because(cause)
}

func tooLarge(what string) error {
	return fault.New(fault.TooLarge, "workbook_too_large",
		"The XLSX file has too much in it: %s. Split it into several files, or save it as CSV.", what)
}
