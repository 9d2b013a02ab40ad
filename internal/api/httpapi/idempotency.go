package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const (
	// recordLifetime is how long the response to an Idempotency-Key is stored.
	recordLifetime = 24 * time.Hour
	// A stored response is cut into pieces of pieceSize bytes. Each piece is compressed and encrypted on its own. One
	// statement inserts up to piecesPerInsert pieces.
	pieceSize       = 256 << 10
	piecesPerInsert = 4
	// sealPurpose is the purpose with which the vault encrypts stored responses.
	sealPurpose = "idempotency"
	// bodyPurpose is the purpose of the MACs by which the bodies of requests are compared.
	bodyPurpose = "idempotency-body"
)

// idempotencyRecord stores the response to one Idempotency-Key. It is written in the same transaction as the work of
// the request.
type idempotencyRecord struct {
	server      *Server
	storeID     store.ID
	hash        []byte
	fingerprint []byte
	replayed    bool
	// expired is true if the database has an expired record of the key. save replaces it.
	expired bool
}

// storedHeaders is the first piece of a stored response: its headers. The other pieces are the body.
type storedHeaders struct {
	Location string `json:"location,omitempty"`
	ETag     string `json:"etag,omitempty"`
}

// claimIdempotencyKey returns the record of the request's Idempotency-Key, or nil without a key. It claims the key in
// this process until releaseIdempotencyKey is called. If another request has claimed it, the error is a Conflict fault.
func (r *Request) claimIdempotencyKey() (*idempotencyRecord, error) {
	rec := newIdempotencyRecord(r)
	if rec == nil || r.claimed != nil {
		return r.claimed, nil
	}
	if _, running := r.server.runningKeys.LoadOrStore(rec.runningKey(), true); running {
		return nil, errKeyInProgress()
	}
	r.claimed = rec
	return rec, nil
}

// releaseIdempotencyKey releases the Idempotency-Key that the request has claimed, if any.
func (r *Request) releaseIdempotencyKey() {
	if r.claimed != nil {
		r.server.runningKeys.Delete(r.claimed.runningKey())
		r.claimed = nil
	}
}

// newIdempotencyRecord returns the record of the request's Idempotency-Key, or nil without a key.
func newIdempotencyRecord(r *Request) *idempotencyRecord {
	if r.idempotencyKey == "" {
		return nil
	}
	hash := idempotencyHash(r)
	var sum [sha256.Size]byte // zero for a request without a body
	if r.sent != nil {
		sum = r.sent.Sum
	}
	// This is a MAC and not a hash: a body may contain a password, and a hash would let it be guessed. The MAC needs
	// the key outside the database.
	return &idempotencyRecord{server: r.server, storeID: r.Principal.Store.ID, hash: hash[:],
		fingerprint: r.server.Vault.MAC(bodyPurpose, sum[:])}
}

// idempotencyHash returns the name of the record of the request's Idempotency-Key: the hash of the method, the path,
// the client and the key. The client is the customer, the operator or the API key, and the order token sent with the
// request. A stored response is replayed only to the client that got it: it may contain a token, and the handler, which
// would check the order token, does not run. No part but the last can contain a newline.
func idempotencyHash(r *Request) [sha256.Size]byte {
	client := "key " + r.Principal.CredentialID.String()
	switch r.Principal.Kind {
	case access.CustomerToken:
		client = "customer " + r.Principal.CustomerID.String()
	case access.OperatorSession:
		client = "operator " + r.Principal.Operator.ID.String()
	}
	orderToken := sha256.Sum256([]byte(r.Header.Get(OrderTokenHeader)))
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%x\n%s\n%s", r.Method, client, orderToken, r.idempotencyKey,
		r.URL.Path))
}

// OrderTokenHeader is the header by which a guest reaches an order.
const OrderTokenHeader = "X-Order-Token"

// minSharedKeyLen is the minimum length of an Idempotency-Key with a publishable key. All visitors of a shop share that
// credential, so a key that can be guessed would get the response of another visitor.
const minSharedKeyLen = 16

// idempotencyKeyOf returns the Idempotency-Key of a POST. It returns "" if there is none, and for other methods. A
// malformed key, and one that is too short for the credential, is a Malformed fault.
func idempotencyKeyOf(r *http.Request, p access.Principal) (string, error) {
	lines := r.Header.Values("Idempotency-Key")
	if r.Method != http.MethodPost || len(lines) == 0 {
		return "", nil
	}
	key, ok := parseIdempotencyKey(lines)
	if !ok {
		return "", fault.New(fault.Malformed, "malformed_idempotency_key",
			"Idempotency-Key must be one value of 1 to 255 visible characters.")
	}
	if p.Kind == access.PublishableKey && len(key) < minSharedKeyLen {
		return "", fault.New(fault.Malformed, "weak_idempotency_key",
			"With a publishable key, an Idempotency-Key has at least %d characters, since strangers share that key: "+
				"draw it at random, for example a UUID.", minSharedKeyLen)
	}
	return key, nil
}

// parseIdempotencyKey validates the values of the header and removes the quotes of a structured string (RFC 9651): "k"
// and k are the same key.
func parseIdempotencyKey(lines []string) (string, bool) {
	if len(lines) != 1 {
		return "", false
	}
	key := strings.TrimSpace(lines[0])
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if len(key) < 1 || len(key) > 255 {
		return "", false
	}
	return key, !strings.ContainsFunc(key, isInvisible)
}

func errKeyInProgress() error {
	return fault.New(fault.Conflict, "idempotency_in_progress",
		"A request with this Idempotency-Key is still running; wait for its answer.").After(time.Second)
}

// runningKey returns the key of the record in Server.runningKeys.
func (rec *idempotencyRecord) runningKey() string { return string(rec.storeID[:]) + string(rec.hash) }

// run replays the stored response, or calls work and stores its response, in the caller's transaction. It returns a
// Conflict fault if another node is running a request with the key.
func (rec *idempotencyRecord) run(
	ctx context.Context, q database.Querier, out *Response, work func(database.Querier) error,
) error {
	locked, err := tryLockKey(ctx, q,
		int64(binary.BigEndian.Uint64(rec.hash))^int64(binary.BigEndian.Uint64(rec.storeID[8:])))
	if err != nil {
		return err
	}
	if !locked {
		return errKeyInProgress()
	}

	found, err := rec.replay(ctx, q, out)
	if err != nil || found {
		return err
	}
	if err := work(q); err != nil {
		return err
	}

	return rec.save(ctx, q, out)
}

// replay fills out with the stored response and reports whether there is one. It returns an Invalid fault if the stored
// response is for another body.
func (rec *idempotencyRecord) replay(ctx context.Context, q database.Querier, out *Response) (bool, error) {
	rec.expired = false
	fingerprint, status, at, err := selectIdempotencyRecord(ctx, store.In(q, rec.storeID), rec.hash)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if rec.expired = !at.After(rec.server.now().Add(-recordLifetime)); rec.expired {
		return false, nil
	}

	if !bytes.Equal(fingerprint, rec.fingerprint) {
		return false, fault.OneField("Idempotency-Key", "idempotency_key_reused",
			"This Idempotency-Key was used with another body; take a new key for a new request.")
	}

	if err := out.Reset(); err != nil {
		return false, err
	}

	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return false, err
	}
	defer decoder.Close()

	first := true

	err = scanResponsePieces(ctx, store.In(q, rec.storeID), rec.hash, func(sealed []byte) error {
		compressed, err := rec.server.Vault.Open(sealPurpose, sealed)
		if err != nil {
			return err
		}
		piece, err := decoder.DecodeAll(compressed, nil)
		if err != nil {
			return err
		}

		if first {
			first = false
			var h storedHeaders
			err = json.Unmarshal(piece, &h)
			out.Location, out.ETag = h.Location, h.ETag
			return err
		}

		_, err = out.Write(piece)
		return err
	})
	if err != nil || first { // no piece was found: the record was deleted after its SELECT
		return false, err
	}

	out.Status = status
	rec.replayed = true
	return true, nil
}

// find calls replay in a read transaction of its own.
func (rec *idempotencyRecord) find(ctx context.Context, p database.Priority, out *Response) (found bool, err error) {
	err = rec.server.DB.ReadWith(ctx, p, false, func(q database.Querier) (err error) {
		found, err = rec.replay(ctx, q, out)
		return err
	})
	return found, err
}

// save inserts the record and the response. Errors are not stored: they roll back the transaction before save is
// called.
func (rec *idempotencyRecord) save(ctx context.Context, q database.Querier, out *Response) error {
	tx := store.In(q, rec.storeID)
	if rec.expired {
		if err := deleteIdempotencyRecord(ctx, tx, rec.hash); err != nil {
			return err
		}
	}

	if err := insertIdempotencyRecord(ctx, tx, rec.hash, rec.fingerprint, out.Status, rec.server.now()); err != nil {
		return err
	}

	encoder, err := rec.server.encoders.zstdEncoder()
	if err != nil {
		return err
	}
	defer rec.server.encoders.zstd.Put(encoder)

	pieces := newResponsePieceBatch()
	number := 0

	add := func(piece []byte) error {
		number++
		pieces.Add(number, rec.server.Vault.Seal(sealPurpose, encoder.EncodeAll(piece, nil)))
		if pieces.Len() < piecesPerInsert {
			return nil
		}
		defer pieces.Reset()
		return insertResponsePieces(ctx, tx, rec.hash, pieces)
	}

	headers, err := json.Marshal(storedHeaders{out.Location, out.ETag})
	if err != nil {
		return err
	}
	if err := add(headers); err != nil {
		return err
	}
	if err := out.flush(); err != nil {
		return err
	}

	body := out.Reader()
	piece := make([]byte, min(pieceSize, out.Len()))
	for remaining := out.Len(); remaining > 0; remaining -= int64(len(piece)) {
		piece = piece[:min(int64(len(piece)), remaining)]
		if _, err := io.ReadFull(body, piece); err != nil {
			return err
		}
		if err := add(piece); err != nil {
			return err
		}
	}

	return insertLastResponsePieces(ctx, tx, rec.hash, pieces)
}

// resolveLostCommit resolves a commit whose outcome is unknown, because the connection was lost before the database
// confirmed it. The record is committed together with the work. If the record is there, the commit succeeded, and
// resolveLostCommit fills out with the response. Otherwise it returns unknownOutcome.
func (rec *idempotencyRecord) resolveLostCommit(
	ctx context.Context, p database.Priority, out *Response, unknownOutcome error,
) error {
	for try := range 5 {
		found, err := rec.find(ctx, p, out)
		switch {
		case err == nil && found:
			rec.replayed = false // the client has had no response yet
			return nil
		case err == nil:
			return unknownOutcome
		}

		select {
		case <-ctx.Done():
			return unknownOutcome
		case <-time.After(time.Duration(try+1) * 200 * time.Millisecond):
		}
	}

	return unknownOutcome
}

// PruneIdempotencyRecords deletes expired records every ten minutes, until ctx ends.
func (s *Server) PruneIdempotencyRecords(ctx context.Context) error {
	return periodic.Run(ctx, s.log, periodic.Task{Name: "delete expired idempotency records", Every: 10 * time.Minute,
		Do: s.deleteExpiredRecords})
}

// deleteExpiredRecords deletes expired records in batches, so that each transaction is short.
func (s *Server) deleteExpiredRecords(ctx context.Context) error {
	const batch = 500
	for n := int64(batch); n == batch; {
		err := s.DB.Write(ctx, func(q database.Querier) (err error) {
			n, err = pruneIdempotencyRecords(ctx, q, s.now().Add(-recordLifetime), batch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
