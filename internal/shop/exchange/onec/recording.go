package onec

import (
	"bytes"
	"context"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/store"
)

// 1C often sends a file again that it has sent before. Reading and mapping it takes most of the time of such an import,
// so the mapping of each large file is recorded, and replayed when the file comes again: see commerceml.Recorder. What
// a file does when it is replayed is what it would do if it were mapped, since the same items are applied.

const (
	// leastRecorded is the size of the smallest file that is recorded, in bytes.
	leastRecorded = 1 << 20
	// maxRecordingBytes limits the recordings of a store, compressed. One may have half of it.
	maxRecordingBytes = 64 << 20
	// recordingRetention is how long a recording is kept that is not used. Some shops send all goods once a week.
	recordingRetention = 10 * 24 * time.Hour
	// digestBuffer is how much of a file is read at a time to compute its digest.
	digestBuffer = 32 << 10
	// recordingBodies is how much longer a chunk of a recording is than one of a body.
	recordingBodies = 2
)

// programDigest returns the digest of this program, since another one may map a file in another way. It is nil if the
// program cannot be read; then nothing is recorded.
var programDigest = sync.OnceValue(func() []byte {
	f, err := os.Open("/proc/self/exe") // also if the file was replaced since the start
	if err != nil {
		path, err := os.Executable()
		if err != nil {
			return nil
		}
		if f, err = os.Open(path); err != nil {
			return nil
		}
	}
	defer f.Close() //nolint:errcheck // it was only read

	sum := sha512.New512_256()
	if _, err := io.Copy(sum, f); err != nil {
		return nil
	}
	return sum.Sum(nil)
})

// recorder stores the recording of a file while it is mapped.
type recorder struct {
	ctx    context.Context //nolint:containedctx // commerceml.Recorder has no parameter for it
	m      *fileMapping
	digest *commerceml.Digest
	buffer []byte
	chunks int64
	packed int64 // bytes of the chunks
	// problem is why the recording cannot be used.
	problem error
}

// errBrokenRecording says that a recording cannot be read, such as one of which chunks are deleted already.
var errBrokenRecording = errors.New("the recording is broken")

// errRecordingTooLarge says that a recording has more than its part of maxRecordingBytes.
var errRecordingTooLarge = errors.New("the recording is too large")

// write adds to the recording.
func (r *recorder) write(b []byte) {
	for len(b) > 0 && r.problem == nil {
		n := min(len(b), cap(r.buffer)-len(r.buffer))
		r.buffer = append(r.buffer, b[:n]...)
		b = b[n:]
		if len(r.buffer) == cap(r.buffer) {
			r.flush()
		}
	}
}

// flush stores what was added.
func (r *recorder) flush() {
	if len(r.buffer) == 0 || r.problem != nil {
		return
	}

	packed := r.m.encoder.EncodeAll(r.buffer, nil)
	size := int64(len(packed)) + chunkRowBytes
	r.buffer = r.buffer[:0]
	if r.packed+size > maxRecordingBytes/2 {
		r.problem = errRecordingTooLarge
		return
	}

	r.problem = r.m.s.write(r.ctx, func(q querier) error {
		tx := store.In(q, r.m.storeID)
		if err := r.m.t.Fence(r.ctx, q); err != nil {
			return err
		}
		if err := r.m.s.Exchange.Bodies.CheckRoom(r.ctx, q, r.m.storeID, 0, size); err != nil {
			return err
		}
		return insertRecordingChunk(r.ctx, tx, r.m.file.key, r.chunks, packed)
	})
	r.chunks++
	r.packed += size
}

// convertRecorded maps the content of the file and records that.
func (m *fileMapping) convertRecorded(
	ctx context.Context, content io.Reader, options commerceml.Options, target commerceml.Target,
) (err error) {
	if err := makeRecordingRoom(ctx, m.s.DB, m.storeID, m.file.key); err != nil {
		return err
	}
	err = m.s.write(ctx, func(q querier) error {
		if err := m.t.Fence(ctx, q); err != nil {
			return err
		}
		return insertRecording(ctx, store.In(q, m.storeID), m.file.key, maxRecordingBytes/2, m.s.now())
	})
	if err != nil {
		return err
	}

	r := &recorder{ctx: ctx, m: m, digest: commerceml.NewDigest(programDigest(), options),
		buffer: make([]byte, 0, recordingBodies*m.sizes.body)}
	options.Recorder = &commerceml.Recorder{Write: r.write}
	if m.summary, err = commerceml.Convert(io.TeeReader(content, r.digest), options, &m.memory, target); err != nil {
		return err
	}

	r.flush()

	if r.problem == nil && !options.Recorder.Incomplete {
		m.recorded = r
		return nil
	}
	if r.problem != nil && !errors.Is(r.problem, errRecordingTooLarge) && !lacksSpace(r.problem) {
		return r.problem
	}
	return deleteRecording(ctx, m.s.DB, sessionRef{m.storeID, m.file.key})
}

// lacksSpace reports whether the database has no room for more.
func lacksSpace(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && (lacksRoom(err) || f.Code == "disk_full" || f.Kind == fault.TooLarge)
}

// replay passes on the recording of a file with the content of this one. It returns false if there is none, or if
// mapping the file would have another result by now.
func (m *fileMapping) replay(
	ctx context.Context, size int64, options commerceml.Options, target commerceml.Target,
) (replayed bool, err error) {
	found, err := database.Read(ctx, m.s.DB, func(q querier) (bool, error) {
		return hasRecording(ctx, store.In(q, m.storeID), size)
	})
	if err != nil || !found {
		return false, err
	}

	digest, err := m.contentDigest(options)
	if kind := fault.KindOf(err); kind == fault.Malformed || kind == fault.TooLarge {
		return false, nil // Convert fails as well, and says where
	}
	if err != nil {
		return false, err
	}

	var r recording
	err = m.s.write(ctx, func(q querier) (err error) {
		tx := store.In(q, m.storeID)
		if r, found, err = recordingByDigest(ctx, tx, digest); err != nil || !found {
			return err
		}
		return useRecording(ctx, tx, r.key, m.s.now()) // so that it is not deleted now
	})
	if err != nil || !found {
		return false, err
	}

	memory := m.memory
	memory.Properties = maps.Clone(memory.Properties)
	memory.PriceTypes = slices.Clone(memory.PriceTypes)
	isCurrent, err := commerceml.IsCurrent(m.recordedLines(ctx, r), &memory, target)
	if errors.Is(err, errBrokenRecording) {
		m.s.Log.WarnContext(ctx, "a recording of a file of 1C was not used", "store_id", m.storeID, "error", err)
		err = nil
		isCurrent = false
	}
	if err != nil || !isCurrent {
		m.unpacked = 0 // mapping the file asks for its images again
		return false, err
	}

	m.summary, err = commerceml.Replay(m.recordedLines(ctx, r), m.room, target)
	m.memory = memory
	return true, err
}

// contentDigest returns the digest of the file.
func (m *fileMapping) contentDigest(options commerceml.Options) ([]byte, error) {
	content, err := m.source.openNamed(m.file.name)
	if err != nil {
		return nil, err
	}
	defer content.Close() // it was only read

	// One goroutine unpacks the file while this one computes the digest.
	const buffers = 4
	free := make(chan []byte, buffers)
	full := make(chan []byte, buffers)
	for range buffers {
		free <- make([]byte, digestBuffer)
	}

	var problem error
	go func() {
		defer close(full)
		for problem == nil {
			buffer := <-free
			var n int
			n, problem = io.ReadFull(content, buffer[:digestBuffer])
			full <- buffer[:n]
		}
	}()

	digest := commerceml.NewDigest(programDigest(), options)
	for buffer := range full {
		_, _ = digest.Write(buffer) // it never fails
		free <- buffer
	}

	if !errors.Is(problem, io.EOF) && !errors.Is(problem, io.ErrUnexpectedEOF) {
		return nil, problem
	}
	return digest.Sum(), nil
}

// recordedLines reads the lines of a recording. A line is valid until the next one.
func (m *fileMapping) recordedLines(ctx context.Context, r recording) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(4*exchange.ChunkBytes))
		if err != nil {
			yield(nil, err)
			return
		}
		defer decoder.Close()

		var chunk, begun []byte
		for number := range r.chunks {
			packed, err := database.Read(ctx, m.s.DB, func(q querier) ([]byte, error) {
				return recordingChunk(ctx, store.In(q, m.storeID), r.key, number)
			})
			if err == nil {
				if chunk, err = decoder.DecodeAll(packed, chunk[:0]); err != nil {
					err = errors.Join(errBrokenRecording, err)
				}
			} else if errors.Is(err, database.ErrNoRows) {
				err = errBrokenRecording
			}
			if err != nil {
				yield(nil, fmt.Errorf("read chunk %d of recording %d: %w", number, r.key, err))
				return
			}

			rest := chunk
			for {
				line, after, found := bytes.Cut(rest, []byte{'\n'})
				if !found {
					break
				}

				rest = after
				if len(begun) > 0 {
					begun = append(begun, line...)
					line = begun
				}
				if !yield(line, nil) {
					return
				}
				begun = begun[:0]
			}
			begun = append(begun, rest...)
		}
	}
}

// makeRecordingRoom deletes recordings of a store that were not used for the longest time, until there is room for
// another one, and that of an earlier attempt with this key.
func makeRecordingRoom(ctx context.Context, db *database.DB, storeID store.ID, key int64) error {
	if err := deleteRecording(ctx, db, sessionRef{storeID, key}); err != nil {
		return err
	}

	for {
		var oldest, packed int64
		var found bool
		err := db.Read(ctx, func(q querier) (err error) {
			oldest, packed, found, err = oldestRecording(ctx, store.In(q, storeID))
			return err
		})
		if err != nil || !found || packed <= maxRecordingBytes/2 {
			return err
		}
		if err := deleteRecording(ctx, db, sessionRef{storeID, oldest}); err != nil {
			return err
		}
	}
}

// deleteRecording deletes a recording and its chunks, if it exists.
func deleteRecording(ctx context.Context, db *database.DB, ref sessionRef) error {
	for n := int64(deleteChunkLimit); n >= deleteChunkLimit; {
		err := db.WriteAlone(ctx, func(q querier) (err error) {
			tx := store.In(q, ref.storeID)
			n, err = deleteRecordingChunks(ctx, tx, ref.key, deleteChunkLimit)
			if err != nil || n >= deleteChunkLimit {
				return err
			}
			return deleteRecordingRow(ctx, tx, ref.key)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteOldRecordings deletes the recordings that were not used for a while.
func (s *Service) deleteOldRecordings(ctx context.Context) error {
	for {
		old, err := database.Read(ctx, s.DB, func(q querier) ([]sessionRef, error) {
			return oldRecordings(ctx, q, s.now().Add(-recordingRetention), pruneLimit)
		})
		if err != nil || len(old) == 0 {
			return err
		}
		for _, ref := range old {
			if err := deleteRecording(ctx, s.DB, ref); err != nil {
				return err
			}
		}
	}
}
