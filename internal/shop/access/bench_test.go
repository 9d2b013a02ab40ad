package access

import (
	"context"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// BenchmarkAuthenticate measures the first step of every request.
func BenchmarkAuthenticate(b *testing.B) {
	for _, engine := range databasetest.Engines() {
		b.Run(engine, func(b *testing.B) {
			db := databasetest.Open(b, engine)
			stores := store.New(store.Deps{DB: db, Now: time.Now})
			s := New(Deps{DB: db, Stores: stores, Now: time.Now})
			token := ""
			err := db.Write(b.Context(), func(q database.Querier) error {
				shop, err := stores.Create(b.Context(), q, store.Edit{Timezone: new("Europe/Berlin")})
				if err != nil {
					return err
				}
				_, token, err = s.CreateKey(b.Context(), store.In(q, shop.ID), NewKey{Kind: SecretKey, Name: "Key"})
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := s.Authenticate(context.Background(), token); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
