package exchange

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

const (
	// maxArchiveEntries and maxDirectoryBytes limit the directory of an archive, which is held in memory.
	maxArchiveEntries = 200_000
	maxDirectoryBytes = 48 << 20
	// An entry of an archive may unpack to maxUnpackRatio times its size, and to freeUnpackBytes in any case.
	maxUnpackRatio  = 250
	freeUnpackBytes = 64 << 20
	// cachedChunks is the number of chunks of a file that are held while it is read.
	cachedChunks = 4
)

// errNoEntry says that a package has no file with a name.
var errNoEntry = errors.New("the package has no such file")

// sessionPackage reads the files of a session: those that came alone, and those inside archives.
type sessionPackage struct {
	ctx      context.Context //nolint:containedctx // the readers of files have no parameter for it
	s        *Service
	storeID  store.ID
	session  int64
	files    []sessionFile // of the archives
	archives []*archive    // nil until they are opened
	opened   bool
}

// open opens a file of the package. It returns errNoEntry if there is none.
func (p *sessionPackage) open(name string) (io.ReadCloser, error) {
	file, err := database.Read(p.ctx, p.s.DB, func(q querier) (sessionFile, error) {
		return latestFile(p.ctx, store.In(q, p.storeID), p.session, name)
	})
	switch {
	case err == nil && file.archive == nil:
		return io.NopCloser(p.plain(file)), nil
	case err != nil && !errors.Is(err, database.ErrNoRows):
		return nil, err
	}
	_, entry, err := p.find(name)
	if err != nil {
		return nil, err
	}
	return openEntry(entry)
}

// plain returns a reader of a file that came alone.
func (p *sessionPackage) plain(file sessionFile) *io.SectionReader {
	return io.NewSectionReader(&chunkReader{p: p, fileKey: file.key}, 0, file.bytes)
}

// find returns the entry of an archive that has this name, or errNoEntry. The name may also be that of the entry
// without its folder, or in another case.
func (p *sessionPackage) find(name string) (archiveKey int64, _ *zip.File, _ error) {
	if err := p.openArchives(); err != nil {
		return 0, nil, err
	}
	for _, a := range p.archives {
		if f := a.byName[strings.ToLower(name)]; f != nil {
			return a.key, f, nil
		}
	}
	for _, a := range p.archives {
		if f := a.byBase[strings.ToLower(name)]; f != nil {
			return a.key, f, nil
		}
	}
	return 0, nil, errNoEntry
}

// openArchives opens the archives of the session, once.
func (p *sessionPackage) openArchives() error {
	if p.opened {
		return nil
	}
	files, err := p.archiveFiles()
	if err != nil {
		return err
	}
	for _, file := range files {
		a, err := p.openArchive(file)
		if err != nil {
			return err
		}
		p.archives = append(p.archives, a)
	}
	p.files, p.opened = files, true
	return nil
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
	mu      sync.Mutex    // a document and its pictures are read from one archive at the same time
	chunks  []cachedChunk // the last one was used last
	decoder *zstd.Decoder
}

type cachedChunk struct {
	start int64
	bytes []byte
}

func (r *chunkReader) ReadAt(b []byte, position int64) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n < len(b) {
		c, err := r.chunk(position + int64(n))
		if err != nil {
			return n, err
		}
		copied := copy(b[n:], c.bytes[position+int64(n)-c.start:])
		n += copied
	}
	return n, nil
}

// chunk returns the chunk that has a position, or io.EOF.
func (r *chunkReader) chunk(position int64) (cachedChunk, error) {
	has := func(c cachedChunk) bool { return c.start <= position && position < c.start+int64(len(c.bytes)) }
	if i := slices.IndexFunc(r.chunks, has); i >= 0 {
		c := r.chunks[i]
		r.chunks = append(slices.Delete(r.chunks, i, i+1), c)
		return c, nil
	}
	if r.decoder == nil {
		var err error
		r.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(4*chunkBytes))
		if err != nil {
			return cachedChunk{}, err
		}
	}
	var c cachedChunk
	var packed []byte
	err := r.p.s.DB.Read(r.p.ctx, func(q querier) (err error) {
		c.start, packed, err = chunkAt(r.p.ctx, store.In(q, r.p.storeID), r.fileKey, position)
		return err
	})
	if errors.Is(err, database.ErrNoRows) {
		return c, io.EOF
	}
	if err != nil {
		return c, err
	}
	if c.bytes, err = r.decoder.DecodeAll(packed, nil); err != nil {
		return c, err
	}
	if !has(c) {
		return c, io.EOF
	}
	if len(r.chunks) >= cachedChunks {
		r.chunks = slices.Delete(r.chunks, 0, 1)
	}
	r.chunks = append(r.chunks, c)
	return c, nil
}

// pictureOf returns the digest of a picture of the package, or false if the package does not have it.
func (p *sessionPackage) pictureOf(name string) (digest [sha256.Size]byte, found bool, err error) {
	if CheckFileName(name) != nil {
		return digest, false, nil
	}
	content, err := p.open(name)
	if errors.Is(err, errNoEntry) {
		return digest, false, nil
	}
	if err != nil {
		return digest, false, err
	}
	defer content.Close() // it was only read
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(content, imagefile.MaxBytes+1))
	if err != nil || n == 0 {
		return digest, false, err
	}
	sum.Sum(digest[:0])
	return digest, true, nil
}

// packageCache keeps the package whose pictures were read last: its archives are opened once for all of them. It is
// safe for concurrent use.
type packageCache struct {
	mu   sync.Mutex
	last *sessionPackage
}

// packageLifetime is how long an opened package is kept.
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
	if l := c.last; l != nil && l.storeID == storeID && l.session == session && slices.EqualFunc(l.files, files, sameContent) {
		return l, nil
	}
	if err := p.openArchives(); err != nil {
		return nil, err
	}
	c.last = p
	time.AfterFunc(packageLifetime, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.last == p {
			c.last = nil
		}
	})
	return p, nil
}
