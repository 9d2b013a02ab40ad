package onec

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// importTask is one attempt to import a file.
type importTask = queue.TaskOf[fileRef, queue.NoOutput]

// Kind describes the jobs that import files of 1C. The caller registers it with Deps.Queue.
func (s *Service) Kind() queue.Kind[fileRef, queue.NoOutput] {
	return queue.Kind[fileRef, queue.NoOutput]{
		Name: jobKind, InOrder: true, LaneSlots: 1, NodeSlots: 2,
		Decode: parseFileRef, Run: s.importFile, OnDead: s.failFile,
		Owner: fileRef.owner, OnPark: s.parkFile, OnUnpark: s.unparkFile, OnDiscard: s.discardFile,
		Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute},
		Timeout: importTimeout,
	}
}

// importFile maps a file to the bodies of runs, and queues these when all of the file was read. A job that was
// interrupted begins again and fills the same runs.
func (s *Service) importFile(ctx context.Context, t *importTask) error {
	storeID := t.Payload.storeID
	ctx = database.WithOwner(ctx, storeID)
	m := &fileMapping{s: s, t: t, storeID: storeID, bodies: map[string]*runBody{}, digests: map[fileID][]byte{},
		changed: map[string][]byte{}, packages: map[string]int64{}}
	err := s.DB.Snapshot(ctx, func(q querier) (err error) { return m.load(ctx, store.In(q, storeID)) })
	if errors.Is(err, database.ErrNoRows) {
		return nil // the session was deleted
	}
	if err != nil || m.file.state != fileQueued {
		return err
	}

	held := s.ImportShare.Open(store.MemoryOwner(storeID))
	defer held.Release()

	m.sizes = s.importSizes()
	m.room = commerceml.NewRoom(held, m.sizes.room)
	err = m.run(ctx)
	if !lacksRoom(err) {
		s.importWaits.end(storeID)
	}

	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return queue.Abort(errImportTooSlow())
	case err == nil, ctx.Err() != nil, errors.Is(err, queue.ErrLost):
		return err
	case lacksRoom(err):
		return s.postponeImport(t, err)
	case exchange.IsTransient(err):
		return err
	}

	return queue.Abort(err)
}

// run maps the file and queues its runs.
func (m *fileMapping) run(ctx context.Context) error {
	if err := m.room.Reserve(importMemory + m.sizes.bodies()); err != nil {
		return err
	}
	if err := m.begin(ctx); err != nil {
		return err
	}
	defer m.release()

	var err error
	if m.file.name == missingFile {
		err = m.findMissing(ctx)
	} else {
		err = m.convert(ctx)
	}

	if err != nil {
		return err
	}

	return m.end(ctx)
}

// failFile ends the runs of a file that cannot be imported. The full packages to which it may belong archive nothing.
func (s *Service) failFile(ctx context.Context, q querier, t *importTask, cause error) error {
	tx := store.In(q, t.Payload.storeID)
	file, err := fileByKey(ctx, tx, t.Payload.key)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := failPackages(ctx, tx, file); err != nil {
		return err
	}

	problem := exchange.RunProblem{Code: "internal",
		Message: "The file could not be imported because of an internal error."}
	if f, ok := errors.AsType[*fault.Error](cause); ok {
		problem = exchange.RunProblem{Code: f.Code, Message: exchange.ProblemMessage(f)}
	} else {
		s.Log.ErrorContext(ctx, "import of a file failed after all retries", "store_id", tx.StoreID(), "error", cause)
	}

	if err := setFileState(ctx, tx, file.key, fileFailed, problem.Message); err != nil {
		return err
	}

	for _, key := range file.runs {
		run, err := s.Exchange.Runs.FindByKey(ctx, tx, key)
		if err != nil {
			return err
		}

		now := s.now()
		run.Status = exchange.Failed
		run.FinishedAt = &now
		run.Problem = &problem

		if err := s.Exchange.Runs.End(ctx, tx, &run); err != nil { // Bodies.deleteFinished deletes the body
			return err
		}
	}

	return nil
}

// fileMapping is one attempt to import a file.
type fileMapping struct {
	s       *Service
	t       *importTask
	storeID store.ID
	file    sessionFile
	session Session
	state   storeState
	// currency is the currency of the store.
	currency string
	memory   commerceml.Memory
	source   *sessionPackage
	encoder  *zstd.Encoder
	sizes    importSizes
	room     *commerceml.Room
	bodies   map[string]*runBody // by entity
	line     []byte
	summary  commerceml.Summary
	recorded *recorder // nil unless the file was recorded
	// digests has the digests of the unpacked images of the package. changed has the digests of the images that are to
	// be stored, by the first name of each image, and unpacked is the size of these images in bytes.
	digests  map[fileID][]byte
	changed  map[string][]byte
	unpacked int64
	grant    *memory.Grant // for digests
	examples map[string]string
	// listedRows are goods and offers that are still to be recorded, packages the numbers of the full packages to which
	// they belong, by catalogue.
	listedRows map[listedRow]listedIn
	packages   map[string]int64
	// listedRoom is how many rows may be recorded before they are counted again. problem is why the full packages to
	// which the file may belong archive nothing; then no more rows are recorded.
	listedRoom int64
	problem    packageProblem
}

// runBody is the body of a run while it is written.
type runBody struct {
	run    exchange.Run
	buffer []byte
	number int64
	stored int64
}

func (m *fileMapping) load(ctx context.Context, tx store.Tx) (err error) {
	if m.file, err = fileByKey(ctx, tx, m.t.Payload.key); err != nil {
		return err
	}
	if m.session, err = sessionByKey(ctx, tx, m.file.sessionKey); err != nil {
		return err
	}
	if m.state, err = selectStoreState(ctx, tx); err != nil {
		return err
	}
	shop, err := m.s.Stores.FindIn(ctx, tx)
	if err != nil {
		return err
	}
	m.currency = shop.Currency
	return json.Unmarshal(m.state.memory, &m.memory)
}

// begin deletes what an earlier attempt has written.
func (m *fileMapping) begin(ctx context.Context) (err error) {
	m.source = &sessionPackage{ctx: ctx, s: m.s, storeID: m.storeID, session: m.session.Key}
	m.grant = m.s.ImportShare.Open(store.MemoryOwner(m.storeID))
	m.examples = map[string]string{}
	m.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
	if err != nil || len(m.file.runs) == 0 {
		return err
	}
	var refs []exchange.RunRef
	for _, key := range m.file.runs {
		refs = append(refs, exchange.RunRef{StoreID: m.storeID, Key: key})
	}
	return m.s.Exchange.Bodies.Delete(ctx, refs)
}

func (m *fileMapping) release() {
	_ = m.encoder.Close() // EncodeAll does not write to the stream that Close would flush
	m.source.close()
	m.grant.Release()
}

// convert maps the file.
func (m *fileMapping) convert(ctx context.Context) error {
	if err := m.source.reserve(); err != nil {
		return err
	}

	target := commerceml.Target{
		Item:    func(it commerceml.Item) error { return m.item(ctx, it) },
		Picture: func(path string) (string, error) { return m.picture(ctx, path) },
		Listed:  func(l commerceml.Listed) error { return m.listed(ctx, l) },
		Property: func(property, value string) (name, text string, err error) {
			err = m.s.DB.Read(ctx, func(q querier) (err error) {
				name, text, err = propertyNames(ctx, store.In(q, m.storeID), property, value)
				return err
			})
			return name, text, err
		},
	}
	settings := m.state.settings.withDefaults()
	options := commerceml.Options{PriceType: settings.PriceType, Currency: m.currency,
		ZeroIsFree: settings.ZeroPrice == ZeroPriceFree, Requisites: settings.Requisites,
		UsesFullName: settings.NameFrom == NameFromFullName,
		PriceLists:   m.t.Payload.mayPush(commerceml.PriceLists),
		Room:         m.room, HasQuantities: m.hasQuantities,
		KeepsStock: m.session.Version != ""} // version 3 sends quantities in files of their own
	if err := m.convertWith(ctx, options, target); err != nil {
		return err
	}
	if err := m.saveListed(ctx); err != nil {
		return err
	}

	return m.savePictures(ctx, 1)
}

// convertWith maps the file, or replays the recording of an equal one.
func (m *fileMapping) convertWith(ctx context.Context, options commerceml.Options, target commerceml.Target) error {
	file, err := m.source.find(m.file.name)
	if errors.Is(err, errNoEntry) {
		return fault.New(fault.NotFound, "no_such_file", "The file is not there any more; send it again.")
	}
	if err != nil {
		return err
	}

	size, err := m.source.size(file)
	if err != nil {
		return err
	}
	isRecorded := size >= m.s.leastRecorded && programDigest() != nil
	if isRecorded {
		if replayed, err := m.replay(ctx, size, options, target); replayed || err != nil {
			return err
		}
	}

	content, err := m.source.open(file)
	if err != nil {
		return err
	}
	defer content.Close() // it was only read

	if isRecorded {
		return m.convertRecorded(ctx, content, options, target)
	}
	m.summary, err = commerceml.Convert(content, options, &m.memory, target)
	return err
}

// hasQuantities reports whether an offer of the file has a quantity, which decides what offers without one mean. The
// answer must be known before the first offer is mapped, so the file is read up to its first quantity.
func (m *fileMapping) hasQuantities() (bool, error) {
	content, err := m.source.openNamed(m.file.name)
	if err != nil {
		return false, err
	}
	defer content.Close() // it was only read
	found, err := commerceml.HasQuantities(content, m.room)
	if kind := fault.KindOf(err); kind == fault.Malformed || kind == fault.TooLarge {
		return false, nil // Convert fails as well, once the runs say what the file has
	}
	return found, err
}

// item adds an item to the body of its entity's run.
func (m *fileMapping) item(ctx context.Context, it commerceml.Item) error {
	if it.Part == commerceml.Seen && !m.t.Payload.mayPush(it.Entity) {
		return nil // it has only warnings, for which the token needs no further scope
	}

	meta := item.Meta{Part: catalog.PushPart(it.Part), Article: it.Article, Barcodes: it.Barcodes,
		Headings: it.Headings,
		Warnings: it.Warnings, CompleteStock: it.CompleteStock, ListedStocks: it.ListedStocks,
		CompletePrices: it.CompletePrices, ListedSteps: it.ListedSteps, Currencies: it.Currencies,
		TakesTexts: it.TakesTexts, EmptyStock: it.EmptyStock}
	if m.state.settings.hasFreeStock() && (it.Entity == exchange.Remainders || it.Part == commerceml.Offers) {
		meta.TakenUpTo = &m.file.takenUpTo
	}

	m.line = item.AppendMapped(m.line[:0], meta, it.JSON)
	if name := it.Entity + it.Part; m.examples[name] == "" && len(it.JSON) < maxExampleBytes {
		m.examples[name] = string(it.JSON)
	}

	err := m.add(ctx, it.Entity, m.line)
	if cap(m.line) > exchange.ChunkBytes {
		m.line = nil // a long item is rare
	}

	return err
}

// add adds a line to the body of an entity's run.
func (m *fileMapping) add(ctx context.Context, entity string, line []byte) error {
	b := m.bodies[entity]
	if b == nil {
		var err error
		if b, err = m.newBody(ctx, entity); err != nil {
			return err
		}
		b.buffer = make([]byte, 0, m.sizes.body)
		m.bodies[entity] = b
	}

	// Split a line that is longer than a chunk: readers of the body expect short chunks.
	for len(line) > 0 {
		n := min(len(line), m.sizes.body-len(b.buffer))
		b.buffer = append(b.buffer, line[:n]...)
		line = line[n:]
		if len(b.buffer) < m.sizes.body {
			continue
		}
		if err := m.flush(ctx, b); err != nil {
			return err
		}
	}

	return nil
}

// newBody inserts the run of an entity, unless an earlier attempt has done so.
func (m *fileMapping) newBody(ctx context.Context, entity string) (*runBody, error) {
	if !m.t.Payload.mayPush(entity) {
		return nil, fault.New(fault.Denied, "forbidden",
			"The file has %s, and the exchange token may not push them; it would need the scope %s.", entity, entity)
	}

	b := &runBody{}

	err := m.s.write(ctx, func(q querier) (err error) {
		tx := store.In(q, m.storeID)
		if err := m.t.Fence(ctx, q); err != nil {
			return err
		}

		if key, found := m.file.runs[entity]; found {
			b.run, err = m.s.Exchange.Runs.FindByKey(ctx, tx, key)
			return err
		}

		b.run = exchange.Run{ID: id.New[exchange.Run](), Status: exchange.Queued, CreatedAt: m.s.now()}
		b.run.Background = true
		b.run.Params = exchange.Params{
			Entity: entity, Format: item.Mapped, Credential: m.session.Credential,
			FileName: item.Truncate(m.file.name, exchange.MaxFileName)}
		if m.file.name == missingFile {
			b.run.FileName = ""
			b.run.ArchiveMissing = true
			b.run.MaxArchiveShare = missingArchiveShare
		}

		if err := m.s.Exchange.Runs.Insert(ctx, tx, &b.run); err != nil {
			return err
		}

		runs := map[string]int64{entity: b.run.Key}
		for other, key := range m.file.runs {
			runs[other] = key
		}

		return setFileRuns(ctx, tx, m.file.key, runs)
	})
	if err != nil {
		return nil, err
	}

	if m.file.runs == nil {
		m.file.runs = map[string]int64{}
	}

	m.file.runs[entity] = b.run.Key
	return b, nil
}

// flush stores the buffered lines of a body as a chunk.
func (m *fileMapping) flush(ctx context.Context, b *runBody) error {
	if len(b.buffer) == 0 {
		return nil
	}

	packed := m.encoder.EncodeAll(b.buffer, nil)
	size := int64(len(packed))
	err := m.s.write(ctx, func(q querier) error {
		tx := store.In(q, m.storeID)
		if err := m.t.Fence(ctx, q); err != nil {
			return err
		}
		return m.s.Exchange.Bodies.Add(ctx, tx, exchange.BodyChunk{
			RunKey: b.run.Key, Number: b.number, Stored: b.stored, Packed: packed})
	})
	b.buffer = b.buffer[:0]
	b.number++
	b.stored += size

	return err
}

// end queues the runs in the order of their entities, and completes the job. The run of products, or else the first
// one, says what was not kept. A file that has nothing else gets a run without items for it.
func (m *fileMapping) end(ctx context.Context) error {
	if len(m.bodies) == 0 && len(m.summary.NotKept) > 0 && m.t.Payload.mayPush(exchange.Products) {
		b, err := m.newBody(ctx, exchange.Products)
		if err != nil {
			return err
		}
		m.bodies[exchange.Products] = b
	}

	for _, b := range m.bodies {
		if err := m.flush(ctx, b); err != nil {
			return err
		}
	}

	return m.s.write(ctx, func(q querier) error {
		tx := store.In(q, m.storeID)
		if err := m.t.Fence(ctx, q); err != nil {
			return err
		}

		for _, entity := range commerceml.Entities() {
			if b := m.bodies[entity]; b != nil {
				if err := m.s.Exchange.Runs.Enqueue(ctx, tx, b.run); err != nil {
					return err
				}
			}
		}

		if err := m.saveNotKept(ctx, tx); err != nil {
			return err
		}
		if err := setFileState(ctx, tx, m.file.key, filePushed, ""); err != nil {
			return err
		}

		if m.file.name != missingFile {
			if err := m.saveState(ctx, tx); err != nil {
				return err
			}
		}

		if m.recorded != nil {
			if err := completeRecording(ctx, tx, m.recorded, m.s.now()); err != nil {
				return err
			}
		}

		return m.t.Complete(ctx, q)
	})
}

// saveNotKept stores what the file had and the store has no place for, with one of its runs.
func (m *fileMapping) saveNotKept(ctx context.Context, tx store.Tx) error {
	var list []exchange.NotKept
	for _, n := range m.summary.NotKept[:min(len(m.summary.NotKept), maxNotKept)] {
		list = append(list, exchange.NotKept{What: n.What, Count: n.Count})
	}
	if len(list) == 0 {
		return nil
	}

	for _, entity := range append([]string{exchange.Products}, commerceml.Entities()...) {
		if b := m.bodies[entity]; b != nil {
			return m.s.Exchange.Runs.SetNotKept(ctx, tx, b.run, list)
		}
	}

	return nil
}

// picture returns the address of an image, or "" if neither this package nor an earlier one has it.
func (m *fileMapping) picture(ctx context.Context, path string) (string, error) {
	digest, err := m.packagePicture(ctx, path)
	if err != nil {
		return "", err
	}

	if digest == nil {
		digest, err = database.Read(ctx, m.s.DB, func(q querier) ([]byte, error) {
			return pictureDigest(ctx, store.In(q, m.storeID), path)
		})
	}

	switch {
	case errors.Is(err, database.ErrNoRows):
		return "", nil
	case err != nil:
		return "", err
	}

	return catalog.PackagePicture + hex.EncodeToString(digest), nil
}

// packagePicture returns the digest of an image of the package, or nil if the package does not have it. An image is
// unpacked once, however often and by whatever names the file has it.
func (m *fileMapping) packagePicture(ctx context.Context, path string) ([]byte, error) {
	if CheckFileName(path) != nil {
		return nil, nil
	}

	file, err := m.source.find(path)
	if errors.Is(err, errNoEntry) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if digest, known := m.digests[file.id()]; known {
		return digest, nil
	}

	digest, n, err := m.source.digestOf(file)
	if err != nil {
		return nil, err
	}

	most := freePictureBytes + pictureRatio*m.session.Spooled
	if m.unpacked += n + pictureCost; m.unpacked > most {
		return nil, errPicturesTooLarge(most)
	}

	known := int64(len(m.digests)+1) * digestBytes
	if known <= m.sizes.knownPictures(m.source.directoryBytes()) && m.grant.Grow(known) == nil {
		m.digests[file.id()] = digest
	}

	if digest == nil {
		return nil, nil
	}

	m.changed[path] = digest
	return digest, m.savePictures(ctx, pictureBatch)
}
