package imagefile

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// wantState claims a storage and compares the result.
func wantState(f *storetest.Fixture, what string, blobs *blobtest.Disk, want StorageState) {
	f.Helper()
	if got, err := ClaimStorage(f.Context(), f.DB, blobs); err != nil || got != want {
		f.Errorf("%s: the state is %q, %v; want %q", what, got, err, want)
	}
}

func TestClaimStorage_bindsADatabaseToOneStorage(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		own, other := blobtest.NewDisk(f), blobtest.NewDisk(f)
		if got, err := FindStorageState(f.Context(), f.DB, own); err != nil || got != StorageNew {
			f.Errorf("before the first start the state is %q, %v", got, err)
		}

		own.WantFiles()
		wantState(f, "first start", own, StorageOwn)
		own.WantFiles("vitrine/storage.json")
		wantState(f, "second start", own, StorageOwn)
		wantState(f, "an empty folder", other, StorageUnmarked)
		other.WantFiles()

		// A database from before there were markers, on a storage that has one: the process ended before the commit, or
		// an old backup was restored.
		if err := ForgetStorage(f.Context(), f.DB); err != nil {
			f.Fatal(err)
		}

		wantState(f, "a marker of this database", own, StorageOwn)

		if err := own.Put(f.Context(), markerFile, []byte(`{"database_id": "0"}`)); err != nil {
			f.Fatal(err)
		}
		if state, err := ClaimStorage(f.Context(), f.DB, own); !errors.Is(err, errMarkerDamaged) {
			f.Errorf("a damaged marker: %q, %v", state, err)
		}
		if state, err := AcceptStorage(f.Context(), f.DB, own, false); !errors.Is(err, errMarkerDamaged) {
			f.Errorf("accepting a damaged marker: %q, %v", state, err)
		}

		if state, err := AcceptStorage(f.Context(), f.DB, own, true); err != nil || state != StorageOwn {
			f.Errorf("accepting a damaged marker with force: %q, %v", state, err)
		}

		wantState(f, "a replaced marker", own, StorageOwn)
	})
}

func TestAcceptStorage_movesADatabase(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		first, second := blobtest.NewDisk(f), blobtest.NewDisk(f)
		wantState(f, "first start", first, StorageOwn)
		for _, c := range []struct {
			accepted, former *blobtest.Disk
		}{{second, first}, {first, second}} {
			if state, err := AcceptStorage(f.Context(), f.DB, c.accepted, false); err != nil || state != StorageOwn {
				f.Fatalf("accept: %q, %v", state, err)
			}
			wantState(f, "the accepted one", c.accepted, StorageOwn)
			wantState(f, "the former one", c.former, StorageOther)
		}
	})
}

func TestClaimStorage_refusesThatOfAnotherDatabase(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		blobs := blobtest.NewDisk(f)
		wantState(f, "its own database", blobs, StorageOwn)
		db := databasetest.Open(f, f.DB.Engine())
		for what, claim := range map[string]func() (StorageState, error){
			"claim":  func() (StorageState, error) { return ClaimStorage(f.Context(), db, blobs) },
			"accept": func() (StorageState, error) { return AcceptStorage(f.Context(), db, blobs, false) },
		} {
			if state, err := claim(); err != nil || state != StorageForeign {
				f.Errorf("%s by another database: %q, %v", what, state, err)
			}
		}

		wantState(f, "its own database afterwards", blobs, StorageOwn)
		if state, err := AcceptStorage(f.Context(), db, blobs, true); err != nil || state != StorageOwn {
			f.Errorf("accept with force: %q, %v", state, err)
		}

		wantState(f, "its former database", blobs, StorageForeign)
	})
}

// Nodes with folders of their own start at the same time: one gets its folder, and the others leave theirs untouched.
// Nodes that share a folder all get it.
func TestClaimStorage_givesConcurrentNodesOneStorage(t *testing.T) {
	const nodes = 8

	storetest.Each(t, func(f *storetest.Fixture) {
		disks := make([]*blobtest.Disk, nodes)
		for i := range disks {
			if disks[i] = blobtest.NewDisk(f); i >= nodes/2 {
				disks[i] = disks[i-nodes/2]
			}
		}

		states := make([]StorageState, nodes)
		var wait sync.WaitGroup
		for i := range nodes {
			wait.Go(func() {
				var err error
				if states[i], err = ClaimStorage(f.Context(), f.DB, disks[i]); err != nil {
					f.Error(err)
				}
			})
		}

		wait.Wait()
		owners := 0
		for i := range nodes / 2 {
			if states[i] != states[i+nodes/2] {
				f.Errorf("two nodes with one folder get %q and %q", states[i], states[i+nodes/2])
			}

			switch states[i] {
			case StorageOwn:
				owners++
				disks[i].WantFiles("vitrine/storage.json")
			case StorageUnmarked:
				disks[i].WantFiles()
			default:
				f.Errorf("a node gets %q", states[i])
			}
		}

		if owners != 1 {
			f.Errorf("%d folders belong to the database: %q", owners, states)
		}
	})
}

// A storage that fails while it is claimed leaves the database without one, so that the next start can claim it.
func TestClaimStorage_changesNothingIfTheStorageFails(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		blobs := blobtest.NewDisk(f)
		failing := &blobtest.HookedStore{Store: blobs, BeforePut: blobtest.Unavailable}
		if state, err := ClaimStorage(f.Context(), f.DB, failing); fault.KindOf(err) != fault.Unavailable {
			f.Errorf("the storage fails: %q, %v", state, err)
		}
		if state, err := FindStorageState(f.Context(), f.DB, blobs); err != nil || state != StorageNew {
			f.Errorf("afterwards the state is %q, %v", state, err)
		}
		wantState(f, "it works again", blobs, StorageOwn)
	})
}

// The marker is neither an orphan nor a file of somebody else.
func TestCheck_knowsTheMarker(t *testing.T) {
	eachFixture(t, func(s *filesFixture) {
		wantState(s.Fixture, "first start", s.blobs, StorageOwn)
		s.upload()
		var found []string
		add := func(text string) { found = append(found, text) }
		counts, err := Check(s.Context(), s.DB, s.blobs, s.Clock.Now(), CheckReport{Missing: add, Orphan: add})
		if err != nil || len(found) > 0 || counts.Others != 0 || counts.Files != 1 {
			s.Errorf("the check counts %+v and finds %s: %v", counts, strings.Join(found, ", "), err)
		}
		if IsImage(markerFile) {
			s.Error("the marker counts as a file of an image")
		}
	})
}
