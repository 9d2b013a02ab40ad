package onec

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// sendRandom sends a part of random bytes, which cannot be compressed, in the session of a login.
func (s *fixture) sendRandom(login, file string, seed byte, size int64) error {
	return s.ReceivePart(s.Context(), s.login(login), file, io.LimitReader(rand.NewChaCha8([32]byte{seed}), size))
}

// fillSpool sends files of 1C and then pushes until both are refused.
func (s *fixture) fillSpool() {
	s.Helper()
	const part = 1 << 20
	refused := 0
	for i := range 100 {
		if err := s.sendRandom("first", "a.zip", byte(i), part); err != nil {
			refused++
			break
		}
	}

	for range 100 {
		if err := s.spoolRandom(part); err != nil {
			refused++
			break
		}
	}

	if refused != 2 {
		s.Fatal("the spool has no limit")
	}
}

// Two stores could use up the room for the pushes and files of all stores, for a day.
func TestS_M7_aStoreWithNothingInTheSpoolFindsRoom(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(16 << 20)

		for range 2 {
			s.fillSpool()
			s.createStore()
		}

		if err := s.sendRandom("third", "import.xml", 1, 64<<10); err != nil {
			s.Errorf("a file of 1C of a third store: %v", err)
		}
		if err := s.spoolRandom(60 << 10); err != nil {
			s.Errorf("a push of a third store: %v", err)
		}
		if err := s.spoolRandom(1 << 20); fault.KindOf(err) != fault.Unavailable {
			s.Errorf("a large push of a third store: %v, want it refused", err)
		}
	})
}

func TestS_M7_filesThatAreNotImportedHaveASmallerPart(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(8 << 20)
		send := func(seed byte) error { return s.sendRandom("one", "a.zip", seed, 3<<19) }
		if err := send(1); err != nil {
			s.Fatal(err)
		}

		err := send(2)
		if s.wantKind(err, fault.TooMany, "too_many_requests"); err != nil &&
			!strings.Contains(err.Error(), "mode=import") {
			s.Errorf("the message gives no advice: %v", err)
		}

		s.Write(func(tx store.Tx) error {
			return setSessionImported(s.Context(), tx,
				s.queryInt("SELECT key FROM commerceml_sessions WHERE store_id = $1", s.Store.ID))
		})
		if err := send(3); err != nil {
			s.Errorf("after an import: %v", err)
		}
	})
}

func TestS_M7_exchangesWithoutImportEndWhenThereIsNoRoom(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		sessions := func() int64 { return s.Count("commerceml_sessions WHERE store_id = $1", s.Store.ID) }
		prune := func() {
			s.Helper()
			if err := s.deleteOldSessions(s.Context()); err != nil {
				s.Fatal(err)
			}
		}
		s.limitSpool(64 << 20)

		for _, login := range []string{"idle", "imported"} {
			if err := s.sendRandom(login, "import.xml", 1, 1<<20); err != nil {
				s.Fatal(err)
			}
		}

		imported := s.queryInt("SELECT MAX(key) FROM commerceml_sessions WHERE store_id = $1", s.Store.ID)
		s.Write(func(tx store.Tx) error { return setSessionImported(s.Context(), tx, imported) })
		s.Clock.Advance(2 * time.Hour)

		if prune(); sessions() != 2 {
			s.Fatalf("%d sessions while there is room, want 2", sessions())
		}

		s.limitSpool(5 << 19) // 2 of 2.5 MiB are in use
		prune()

		if left := s.queryInt("SELECT MIN(key) FROM commerceml_sessions WHERE store_id = $1",
			s.Store.ID); sessions() != 1 || left != imported {
			s.Errorf("%d sessions, the first is %d, want %d alone", sessions(), left, imported)
		}

		if n := s.Count("commerceml_chunks WHERE store_id = $1", s.Store.ID); n != 1 {
			s.Errorf("%d chunks are left, want 1", n)
		}
	})
}

// A session that is being deleted takes no more files, and none of its files is imported.
func TestS_M7_anEndedExchangeTakesNothingMore(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		by := s.login("one")
		session, err := s.BeginSession(s.Context(), by, "")
		if err != nil {
			s.Fatal(err)
		}

		s.Write(func(tx store.Tx) error {
			_, err := endSession(s.Context(), tx, session.Key, s.now().Add(time.Hour))
			return err
		})

		for what, fn := range map[string]func(tx store.Tx) error{
			"use":    func(tx store.Tx) error { return useSession(s.Context(), tx, session.Key, s.now()) },
			"import": func(tx store.Tx) error { return setSessionImported(s.Context(), tx, session.Key) },
		} {
			err := s.DB.Write(s.Context(), func(q querier) error { return fn(store.In(q, s.Store.ID)) })
			if fault.KindOf(err) != fault.NotFound {
				s.Errorf("%s: %v, want fault.NotFound", what, err)
			}
		}

		if next, err := s.currentSession(s.Context(), by, sessionRequest{}); err != nil || next.Key == session.Key {
			s.Errorf("the next session is %d, %v", next.Key, err)
		}
	})
}

// Sessions and empty files took room that nothing counted.
func TestS_L4_rowsWithoutBytesCount(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(64 << 10)
		long := strings.Repeat("9", 100_000)
		session, err := s.BeginSession(s.Context(), s.login("one"), long)
		if err != nil || session.Version != long[:20] {
			s.Errorf("the version has %d characters, %v", len(session.Version), err)
		}

		if n := s.queryInt("SELECT MAX(LENGTH(version)) FROM commerceml_sessions WHERE store_id = $1",
			s.Store.ID); n != 20 {
			s.Errorf("%d characters of the version are stored", n)
		}

		files := 0
		for ; err == nil && files < 100; files++ {
			name := strings.Repeat("x", 480) + string(rune('A'+files))
			err = s.ReceivePart(s.Context(), s.login("one"), name, bytes.NewReader(nil))
		}

		if s.wantKind(err, fault.TooMany, "too_many_requests"); files > 17 {
			s.Errorf("%d empty files of about 1 KB came into 16 KB", files)
		}

		err = nil
		sessions := 0
		for ; err == nil && sessions < 100; sessions++ {
			_, err = s.BeginSession(s.Context(), s.login("two"), "")
		}

		if s.wantKind(err, fault.TooMany, "too_many_requests"); sessions > 64 {
			s.Errorf("%d sessions of 512 bytes came into 32 KB", sessions)
		}
	})
}

// The room of a part that broke off, or of a part that came twice, is given back at once. Before, it was counted until
// the session was deleted.
func TestReceivePart_countsOnlyWhatIsStored(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(64 << 20)
		counted := func() int64 {
			return s.queryInt("SELECT SUM(spooled_bytes) FROM commerceml_sessions WHERE store_id = $1", s.Store.ID)
		}
		send := func(seed byte) {
			s.Helper()
			if err := s.sendRandom("one", "a.zip", seed, 1<<20); err != nil {
				s.Fatal(err)
			}
		}
		send(1)
		once := counted()
		send(1) // the same part again

		broken := io.MultiReader(io.LimitReader(rand.NewChaCha8([32]byte{2}), 1<<20), &brokenReader{})
		if err := s.ReceivePart(s.Context(), s.login("one"), "a.zip", broken); err == nil {
			s.Error("a part that broke off was accepted")
		}

		send(1)
		if got := counted(); got != once {
			s.Errorf("%d bytes are counted, want %d", got, once)
		}

		stored := s.queryInt("SELECT SUM(LENGTH(packed)) FROM commerceml_chunks WHERE store_id = $1", s.Store.ID)
		if rows := once - stored; rows < 0 || rows > 2000 {
			s.Errorf("%d bytes are stored and %d are counted", stored, once)
		}
	})
}

type brokenReader struct{}

func (*brokenReader) Read([]byte) (int, error) {
	return 0, fault.New(fault.Malformed, "body_incomplete", "The connection ended.")
}
