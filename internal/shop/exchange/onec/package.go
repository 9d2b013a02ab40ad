package onec

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const (
	// An entry of an archive may unpack to maxUnpackRatio times its size, and to freeUnpackBytes in any case.
	maxUnpackRatio  = 250
	freeUnpackBytes = 64 << 20
	// The images of a file may unpack to freePictureBytes, and to pictureRatio times what the session has.
	freePictureBytes = 1 << 30
	pictureRatio     = 10
)

// errNoEntry says that a package has no file with a name.
var errNoEntry = errors.New("the package has no such file")

// sessionPackage reads the files of a session: those that came alone, and those inside archives. The caller must call
// close.
type sessionPackage struct {
	ctx     context.Context //nolint:containedctx // the readers of files have no parameter for it
	s       *Service
	storeID store.ID
	session int64
	// admit is called before the directories of archives are read, which takes time. leave ends that, if it is not nil.
	admit  Admit
	leave  func()
	files  []sessionFile // of the archives, if the directory was opened
	dir    *directory    // nil until it is opened
	grant  *memory.Grant // for the chunks
	chunks chunkCache
}

// packageFile is a file of a package: one that came alone, or an entry of an archive.
type packageFile struct {
	file  sessionFile
	entry *archiveEntry
}

// fileID identifies a file of a package, however it was named. entry is 0 for a file that came alone.
type fileID struct{ file, entry int64 }

func (f packageFile) id() fileID {
	if f.entry != nil {
		return fileID{f.entry.archive.file.key, int64(f.entry.number) + 1}
	}
	return fileID{file: f.file.key}
}

// find returns the file with a name, or errNoEntry. The name of a file inside an archive may lack the folder, and its
// upper and lower case may differ.
func (p *sessionPackage) find(name string) (packageFile, error) {
	file, err := database.Read(p.ctx, p.s.DB, func(q querier) (sessionFile, error) {
		return latestFile(p.ctx, store.In(q, p.storeID), p.session, name)
	})
	switch {
	case err == nil && file.archive == nil:
		return packageFile{file: file}, nil
	case err != nil && !errors.Is(err, database.ErrNoRows):
		return packageFile{}, err
	}
	e, err := p.findInArchives(name)
	return packageFile{entry: &e}, err
}

// open opens a file that find has returned.
func (p *sessionPackage) open(f packageFile) (io.ReadCloser, error) {
	if f.entry == nil {
		return io.NopCloser(p.plain(f.file)), nil
	}
	return p.openEntry(p.dir, *f.entry)
}

// size returns how many bytes a file has that find has returned. An archive may have the wrong size of an entry.
func (p *sessionPackage) size(f packageFile) (int64, error) {
	if f.entry == nil {
		return f.file.bytes, nil
	}
	z, err := p.zipFile(p.dir, *f.entry)
	if err != nil {
		return 0, err
	}
	return int64(min(z.UncompressedSize64, math.MaxInt64)), nil
}

// openNamed opens the file with a name. It returns errNoEntry if there is none.
func (p *sessionPackage) openNamed(name string) (io.ReadCloser, error) {
	f, err := p.find(name)
	if err != nil {
		return nil, err
	}
	return p.open(f)
}

// plain returns a reader of a file that came alone.
func (p *sessionPackage) plain(file sessionFile) *io.SectionReader {
	return io.NewSectionReader(&chunkReader{p: p, fileKey: file.key}, 0, file.bytes)
}

// findInArchives returns the entry of an archive that has this name, or errNoEntry.
func (p *sessionPackage) findInArchives(name string) (archiveEntry, error) {
	if err := p.openDirectory(); err != nil {
		return archiveEntry{}, err
	}
	return p.findEntry(p.dir, name)
}

// openDirectory opens the directory of the archives of the session, once. It keeps the slot of admit until freeSlot.
func (p *sessionPackage) openDirectory() error {
	if p.dir != nil {
		return p.dir.problem
	}

	files, err := p.archiveFiles()
	if err != nil {
		return err
	}

	if len(files) == 0 {
		p.dir = newDirectory(nil)
		return nil
	}

	if p.leave, err = p.admit.wait(p.ctx); err != nil {
		return err
	}
	if err := p.reserve(); err != nil {
		return err
	}

	p.dir, err = p.s.directories.open(p, files)
	p.files = files
	return err
}

// reserve counts the chunks that the package holds while its files are read, once.
func (p *sessionPackage) reserve() error {
	if p.grant == nil {
		p.grant = p.s.ImportShare.Open(store.MemoryOwner(p.storeID))
	}
	return p.s.growImport(p.grant, p.s.importSizes().source)
}

// directoryBytes returns what is counted of the directory.
func (p *sessionPackage) directoryBytes() int64 {
	if p.dir == nil {
		return 0
	}
	return int64(cap(p.dir.records)) * entryBytes
}

// freeSlot gives back the slot for reading archives.
func (p *sessionPackage) freeSlot() {
	if p.leave != nil {
		p.leave()
		p.leave = nil
	}
}

// close frees what the package holds. It may be used again afterwards.
func (p *sessionPackage) close() {
	p.freeSlot()
	p.chunks.clear()
	p.s.directories.release(p.dir)
	p.dir = nil
	p.grant.Release()
}

// archiveFiles returns the files with the archives of the session, newest first.
func (p *sessionPackage) archiveFiles() ([]sessionFile, error) {
	return database.Read(p.ctx, p.s.DB, func(q querier) ([]sessionFile, error) {
		return archivesOf(p.ctx, store.In(q, p.storeID), p.session)
	})
}

// sameContent reports whether a and b are one file with the same parts.
func sameContent(a, b sessionFile) bool { return a.key == b.key && a.bytes == b.bytes }

// chunkReader reads the chunks of a file at any position. It implements io.ReaderAt.
type chunkReader struct {
	p       *sessionPackage
	fileKey int64
}

func (r *chunkReader) ReadAt(b []byte, position int64) (n int, err error) {
	r.p.chunks.mu.Lock()
	defer r.p.chunks.mu.Unlock()
	for n < len(b) {
		c, err := r.p.chunk(r.fileKey, position+int64(n))
		if err != nil {
			return n, err
		}
		n += copy(b[n:], c.bytes[position+int64(n)-c.start:])
	}
	return n, nil
}

// chunkCache has the chunks of a package that were read last. A document and its images are read at the same time.
type chunkCache struct {
	mu      sync.Mutex
	chunks  []cachedChunk // the last one was used last
	decoder *zstd.Decoder
}

type cachedChunk struct {
	fileKey, start int64
	bytes          []byte
}

func (c *chunkCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.chunks = nil
	if c.decoder != nil {
		c.decoder.Close()
		c.decoder = nil
	}
}

// chunk returns the chunk of a file that has a position, or io.EOF. The caller holds the lock.
func (p *sessionPackage) chunk(fileKey, position int64) (cachedChunk, error) {
	cache := &p.chunks
	has := func(c cachedChunk) bool {
		return c.fileKey == fileKey && c.start <= position && position < c.start+int64(len(c.bytes))
	}
	if i := slices.IndexFunc(cache.chunks, has); i >= 0 {
		c := cache.chunks[i]
		cache.chunks = append(slices.Delete(cache.chunks, i, i+1), c)
		return c, nil
	}

	if cache.decoder == nil {
		var err error
		cache.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(4*exchange.ChunkBytes))
		if err != nil {
			return cachedChunk{}, err
		}
	}

	c := cachedChunk{fileKey: fileKey}
	var packed []byte
	err := p.s.DB.Read(p.ctx, func(q querier) (err error) {
		c.start, packed, err = chunkAt(p.ctx, store.In(q, p.storeID), fileKey, position)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return c, io.EOF
	}

	if err != nil {
		return c, err
	}
	if c.bytes, err = cache.decoder.DecodeAll(packed, nil); err != nil {
		return c, err
	}
	if !has(c) {
		return c, io.EOF
	}

	if len(cache.chunks) >= p.s.importSizes().chunks {
		cache.chunks = slices.Delete(cache.chunks, 0, 1)
	}

	cache.chunks = append(cache.chunks, c)
	return c, nil
}

// digestOf returns the digest of an image of the package and its size. The digest is nil if the image is empty.
func (p *sessionPackage) digestOf(f packageFile) (digest []byte, n int64, err error) {
	content, err := p.open(f)
	if err != nil {
		return nil, 0, err
	}
	defer content.Close() // it was only read
	sum := sha256.New()
	n, err = io.Copy(sum, io.LimitReader(content, imagefile.MaxBytes+1))
	if err != nil || n == 0 {
		return nil, n, err
	}
	return sum.Sum(nil), n, nil
}

// packageCache keeps the package whose images were read last: its chunks are read once for all of them. It is safe
// for concurrent use.
type packageCache struct {
	mu   sync.Mutex
	last *sessionPackage
}

// packageLifetime is how long an opened package, or the directory of one, is kept.
const packageLifetime = time.Minute

// open returns the package of a session with its archives opened.
func (c *packageCache) open(
	ctx context.Context, s *Service, storeID store.ID, session int64,
) (*sessionPackage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	p := &sessionPackage{ctx: context.WithoutCancel(ctx), s: s, storeID: storeID, session: session}
	files, err := p.archiveFiles()
	if err != nil {
		return nil, err
	}

	if l := c.last; l != nil && l.storeID == storeID && l.session == session &&
		slices.EqualFunc(l.files, files, sameContent) {
		return l, nil
	}

	c.drop()

	if err := p.openDirectory(); err != nil {
		p.close()
		return nil, err
	}

	c.last = p
	time.AfterFunc(packageLifetime, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.last == p {
			c.drop()
		}
	})

	return p, nil
}

// drop gives back what is counted of the last package. A reader of it keeps its bytes until it is done.
func (c *packageCache) drop() {
	if c.last != nil {
		c.last.s.directories.release(c.last.dir)
		c.last.grant.Release()
		c.last = nil
	}
}
