package webhook

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/shop/store"
)

// shareLoad calls load, unless a load of the same store is running: then it waits for that one and returns its result.
// It returns the error of ctx, with a zero result, if ctx ends first. The context of load does not end with ctx,
// because other attempts may wait for the same load.
//
// A panic of load becomes an error with a zero result: load runs in a goroutine of its own, in which a panic would end
// the process.
func shareLoad[T any](
	ctx context.Context, loads *singleflight.Group, storeID store.ID, load func(context.Context) (T, error),
) (T, error) {
	result := loads.DoChan(storeID.String(), func() (v any, err error) {
		defer func() {
			if p := recover(); p != nil {
				v = *new(T)
				err = fmt.Errorf("load of store %s: panic: %v\n%s", storeID, p, debug.Stack())
			}
		}()
		return load(context.WithoutCancel(ctx))
	})
	select {
	case <-ctx.Done():
		return *new(T), ctx.Err()
	case r := <-result:
		return r.Val.(T), r.Err
	}
}
