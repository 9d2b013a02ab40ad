package onec

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/store"
)

const (
	// sessionRetention is how long a session is kept after its last request, closedRetention after the next one has
	// begun. Its images are read after its files are imported.
	sessionRetention = 24 * time.Hour
	closedRetention  = time.Hour
	// idleRetention is the same for a session of which no file was imported, while there is no room.
	idleRetention = time.Hour
	// maxSessionFileName limits the name of a file, in bytes.
	maxSessionFileName = 500
	// maxSessionVersion limits the version that 1C sends, in characters.
	maxSessionVersion = 20
	// What the rows of a session, of a file besides its name, and of a chunk besides its bytes take. It counts like
	// bytes of files, so that empty ones have a limit.
	sessionRowBytes = 512
	fileRowBytes    = 512
	chunkRowBytes   = 64
)

// Login says who exchanges: the store, the token, and what the cookie of checkauth says. Without a cookie, Login is
// empty: see currentSession.
type Login struct {
	Store      store.ID
	Credential access.KeyID
	Login      []byte
	// Session is the id of the session that the client sends back as sessid, or 0.
	Session int64
	// Kind is catalog or sale.
	Kind  string
	Slots Slots
}

// Admit waits for a slot in which the server may work until release is called. A nil Admit admits everything.
type Admit func(ctx context.Context) (release func(), err error)

func (a Admit) wait(ctx context.Context) (release func(), err error) {
	if a == nil {
		return func() {}, nil
	}
	return a(ctx)
}

// Slots are the slots for the reads of a request of 1C: Heavy for reads of archives and of many orders, Poll for each
// look at an import that is waited for.
type Slots struct{ Heavy, Poll Admit }

// BeginSession begins a session, which has no files. Earlier sessions of the login go on being imported.
func (s *Service) BeginSession(ctx context.Context, by Login, version string) (session Session, err error) {
	defer fault.AddContext(&err, "begin a session of 1C in store %s", by.Store)

	if runes := []rune(version); len(runes) > maxSessionVersion {
		version = string(runes[:maxSessionVersion])
	}

	session = Session{Credential: by.Credential, Login: by.Login, Kind: by.Kind, Version: version}
	if session.Login == nil {
		session.Login = []byte{}
	}

	err = s.write(ctx, func(q querier) error {
		tx := store.In(q, by.Store)
		if err := s.Exchange.Bodies.CheckRoom(ctx, q, by.Store, 0, sessionRowBytes); err != nil {
			return err
		}
		if err := insertStoreState(ctx, tx); err != nil {
			return err
		}
		if err := insertSession(ctx, tx, &session, s.now()); err != nil {
			return err
		}

		return closeSessions(ctx, tx, session, session.Key-1, s.now())
	})

	return session, err
}

// CheckFileName returns fault.Invalid for a name that is no path inside a package.
func CheckFileName(name string) error {
	bad := func(why string) error {
		return fault.New(fault.Invalid, "invalid_filename", "The name of the file %s: %.100q.", why, name)
	}
	switch {
	case name == "":
		return fault.New(fault.Invalid, "invalid_filename", "The parameter filename is missing.")
	case len(name) > maxSessionFileName:
		return bad("is too long")
	case strings.ContainsAny(name, `\:`) || strings.HasPrefix(name, "/"):
		return bad("is no relative path with slashes")
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return bad("has control characters")
	case path.Clean(name) != name || name == "." || name == ".." || strings.HasPrefix(name, "../"):
		return bad("is no path inside the package")
	}

	return nil
}

// ReceivePart appends a part to a file of the current session. A part equal to the one before it is dropped. If the
// first part of a file comes again, or a part comes after the file was imported, the file starts over with that part. A
// part is stored whole or not at all.
func (s *Service) ReceivePart(ctx context.Context, by Login, name string, body io.Reader) (err error) {
	defer fault.AddContext(&err, "receive a file of 1C in store %s", by.Store)

	if err := CheckFileName(name); err != nil {
		return err
	}

	session, err := s.currentSession(ctx, by, sessionRequest{name: name, sends: true})
	if err != nil {
		return err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	defer encoder.Close() //nolint:errcheck // EncodeAll does not write to the stream that Close would flush

	p := &partWriter{s: s, storeID: by.Store, session: session, name: name, encoder: encoder}
	chunk := make([]byte, exchange.ChunkBytes)
	sum := sha256.New()
	for {
		n, err := io.ReadFull(body, chunk)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}

		sum.Write(chunk[:n])
		last := err != nil
		var digest []byte
		if last {
			digest = sum.Sum(nil)
		}

		if err := p.write(ctx, chunk[:n], digest); err != nil || last {
			return err
		}
	}
}

// partWriter writes the chunks of a part behind the bytes that the file has. The file gets them with the last one.
type partWriter struct {
	s       *Service
	storeID store.ID
	session Session
	name    string
	encoder *zstd.Encoder
	file    *sessionFile // nil before the first chunk
	written int64        // bytes of this part
	spooled int64        // the same as they are counted: packed, with their rows
}

// write writes the next chunk. digest is the digest of the whole part, passed with the last chunk.
func (p *partWriter) write(ctx context.Context, chunk, digest []byte) error {
	packed := p.encoder.EncodeAll(chunk, nil)
	size := int64(0)
	if len(chunk) > 0 {
		size = int64(len(packed)) + chunkRowBytes
	}

	var file sessionFile

	err := p.s.write(ctx, func(q querier) error {
		tx := store.In(q, p.storeID)
		var row int64
		var err error
		if file, row, err = p.fileIn(ctx, tx); err != nil {
			return err
		}
		if err := p.checkRoom(ctx, q, size+row); err != nil {
			return err
		}

		if len(chunk) > 0 {
			if err := insertFileChunk(ctx, tx, file.key, file.bytes+p.written, packed); err != nil {
				return err
			}
		}

		if err := addSessionBytes(ctx, tx, p.session.Key, size+row); err != nil {
			return err
		}
		if digest == nil {
			return nil
		}

		return p.append(ctx, tx, file, p.written+int64(len(chunk)), digest)
	})

	p.file = &file
	p.written += int64(len(chunk))
	p.spooled += size

	return err
}

// waitingEighths is how many eighths of the room for all stores the files of a store may have that are not imported
// yet.
const waitingEighths = 2

// checkRoom returns a fault if the part may not have more bytes.
func (p *partWriter) checkRoom(ctx context.Context, q querier, more int64) error {
	if err := p.s.Exchange.Bodies.CheckRoom(ctx, q, p.storeID, p.spooled, more); err != nil || p.session.Imported {
		return err
	}
	limit := p.s.Exchange.SpoolShare.Limit() * waitingEighths / 8
	if limit == 0 {
		return nil // there is no limit
	}
	waiting, err := waitingBytes(ctx, store.In(q, p.storeID))
	if err == nil && waiting+more > limit {
		err = fault.New(fault.TooMany, "too_many_requests", "The files of this store that wait for mode=import may "+
			"have %d MiB after compression. Import those that were sent, or send less at a "+
			"time.", limit>>20).After(exchange.SpoolRetryAfter)
	}
	return err
}

// fileIn returns the file to which the part is appended, and the bytes of its row if it is a new one. Before the first
// chunk it deletes what is left of a part that broke off.
func (p *partWriter) fileIn(ctx context.Context, tx store.Tx) (file sessionFile, row int64, err error) {
	if p.file != nil {
		return *p.file, 0, nil
	}
	if err := useSession(ctx, tx, p.session.Key, p.s.now()); err != nil {
		return file, 0, err
	}

	file, err = latestFile(ctx, tx, p.session.Key, p.name)
	switch {
	case err == nil && file.state == fileReceived && file.archive == nil:
		return file, 0, p.deleteFrom(ctx, tx, file)
	case err != nil && !errors.Is(err, database.ErrNoRows):
		return file, 0, err
	}

	file = sessionFile{sessionKey: p.session.Key, name: p.name, state: fileReceived}
	err = insertFile(ctx, tx, &file)
	return file, fileBytes(p.name), err
}

// fileBytes returns what the row of a file counts.
func fileBytes(name string) int64 { return fileRowBytes + int64(len(name)) }

// deleteFrom deletes the chunks behind the bytes that the file has.
func (p *partWriter) deleteFrom(ctx context.Context, tx store.Tx, file sessionFile) error {
	freed, err := deleteChunksFrom(ctx, tx, file.key, file.bytes)
	if err != nil || freed == 0 {
		return err
	}
	return addSessionBytes(ctx, tx, p.session.Key, -freed)
}

// append makes the written chunks a part of the file.
func (p *partWriter) append(ctx context.Context, tx store.Tx, file sessionFile, n int64, digest []byte) error {
	if file.parts > 0 && bytes.Equal(digest, file.last) {
		return p.deleteFrom(ctx, tx, file)
	}

	if file.parts > 1 && bytes.Equal(digest, file.first) {
		again := sessionFile{sessionKey: p.session.Key, name: p.name, state: fileReceived}
		if err := insertFile(ctx, tx, &again); err != nil {
			return err
		}
		if err := addSessionBytes(ctx, tx, p.session.Key, fileBytes(p.name)); err != nil {
			return err
		}
		if err := moveChunks(ctx, tx, file.key, file.bytes, again.key); err != nil {
			return err
		}

		file = again
	}

	appended, err := appendPart(ctx, tx, file, n, digest)
	if err == nil && !appended {
		err = fault.New(fault.Unavailable, "overtaken",
			"Two parts of one file came at the same time; send them one after the other.")
	}

	return err
}

func errExchangeEnded() error {
	return fault.New(fault.NotFound, "exchange_ended", "This exchange was ended because none of its files was "+
		"imported for an hour and there was no room. Begin again with mode=init.")
}

// deleteOldSessions deletes the sessions that are not used any more, with their files.
func (s *Service) deleteOldSessions(ctx context.Context) error {
	parkedBefore := time.UnixMicro(0) // a Retention of 0 keeps parked files for ever
	if s.Exchange.Retention > 0 {
		parkedBefore = s.now().Add(-s.Exchange.Retention)
	}

	stale, err := database.Read(ctx, s.DB, func(q querier) ([]sessionRef, error) {
		return staleSessions(ctx, q, s.now().Add(-sessionRetention), parkedBefore)
	})
	if err != nil {
		return err
	}

	idle, err := s.endIdleSessions(ctx)
	if err != nil {
		return err
	}

	for _, ref := range append(stale, idle...) {
		if err := s.deleteSession(ctx, ref); err != nil {
			return err
		}
	}

	return nil
}

// endIdleSessions ends sessions of which no file was imported, if they take the room of others. While the room for all
// stores is scarce, it ends such sessions of all stores; otherwise the sessions of stores whose part for such sessions
// is nearly used up. It returns the sessions that it has ended.
func (s *Service) endIdleSessions(ctx context.Context) (ended []sessionRef, err error) {
	limit := s.Exchange.SpoolShare.Limit()
	if limit == 0 {
		return nil, nil // there is no limit
	}

	before := s.now().Add(-idleRetention)
	var idle []sessionRef

	err = s.DB.Read(ctx, func(q querier) error {
		scarce, err := s.Exchange.Bodies.AreScarce(ctx, q)
		if err != nil {
			return err
		}

		ofStore := limit * waitingEighths / 8 * 3 / 4
		if scarce {
			ofStore = 0
		}

		idle, err = idleSessions(ctx, q, before, ofStore)
		return err
	})
	for _, ref := range idle {
		var done bool
		err := s.write(ctx, func(q querier) (err error) {
			done, err = endSession(ctx, store.In(q, ref.storeID), ref.key, before)
			return err
		})
		if err != nil {
			return ended, err
		}

		if done {
			ended = append(ended, ref)
		}
	}

	return ended, err
}

func (s *Service) deleteSession(ctx context.Context, ref sessionRef) error {
	if err := s.cancelParkedFiles(ctx, ref); err != nil {
		return err
	}

	for _, step := range []struct {
		deleteSome func(ctx context.Context, tx store.Tx, key, limit int64) (int64, error)
		limit      int64
	}{{deleteSessionChunks, deleteChunkLimit}, {deleteSessionFiles, deleteFileLimit}} {
		for n := step.limit; n >= step.limit; {
			err := s.DB.WriteAlone(ctx, func(q querier) (err error) {
				n, err = step.deleteSome(ctx, store.In(q, ref.storeID), ref.key, step.limit)
				return err
			})
			if err != nil {
				return err
			}
		}
	}

	return s.write(ctx, func(q querier) error {
		return deleteSessionRow(ctx, store.In(q, ref.storeID), ref.key)
	})
}
