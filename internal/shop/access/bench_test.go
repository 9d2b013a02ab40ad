package access

import (
	"context"
	"testing"

	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// BenchmarkAuthenticate measures the first step of every request.
func BenchmarkAuthenticate(b *testing.B) {
	for _, engine := range databasetest.Engines() {
		b.Run(engine, func(b *testing.B) {
			f := newFixture(storetest.Open(b, engine), nil)
			_, token := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := f.Authenticate(context.Background(), token); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
