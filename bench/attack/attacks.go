package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// attackTime limits one attack.
const attackTime = 12 * time.Second

// attack is one way in which a client tried to take the server down. The names are those of a security review.
type attack struct {
	name, what string
	// images makes the ordinary client upload images, too.
	images bool
	// run sends the requests until it is done or ctx ends. It returns an error if the server did what it must not.
	run func(ctx context.Context, a *attacker) error
}

func attacks() []attack {
	return []attack{
		{"–", "no attack, for comparison", false, func(context.Context, *attacker) error { return nil }},
		{"H1", "zstd windows in bodies that stall", false, attackZstdWindows},
		{"H2", "225,000 header lines", false, attackHeaders},
		{"H3", "900,000 unknown members, gzip", false, attackMembers},
		{"H4", "long hosts and queries for the page cache", false, attackPageCache},
		{"H5", "progressive JPEGs with many scans", true, attackScans},
		{"H6", "large options and lists, read slowly", false, attackReads},
		{"H7", "zstd bombs in unlimited bodies", false, attackSpool},
		{"M1", "unknown members in pushes and options", false, attackPushMembers},
		{"M2", "atomic pushes of 50,000 items", false, attackAtomic},
		{"M3", "guessed idempotency keys", false, attackIdempotency},
		{"M4", "carts with 1,000 lines", false, attackCarts},
		{"M5", "wrong passwords against an operator", false, attackOperator},
		{"M7", "credentials by a session alone", false, attackSession},
		{"M8", "slow bodies on both listeners", false, attackSlowBodies},
		{"L1", "malformed chunks", false, attackChunks},
		{"L2", "300 concurrent wrong logins", false, attackLogins},
		{"L3", "wrong login codes", false, attackCodes},
		{"L4", "events by a key that may only read webhooks", false, attackFeed},
		{"L5", "a key that outlives its maker", false, attackKeys},
		{"F1", "forms that claim more fields than they send", false, attackForms},
		{"L11", "a million pieces in a cart", false, attackQuantity},
	}
}

// largeOptionValues is the number of values of the option that attackReads reads, filledProducts the number of products
// of each store, and cartLines that of the lines of a cart.
const (
	largeOptionValues = 300_000
	filledProducts    = 2000
	cartLines         = 1000
)

// variantLists is the list of products from which firstIDs takes variants.
const variantLists = "/v2/products?with=variants&per_page=250"

// fill creates the catalogues of both stores, and the large option of the attacked one.
func (t *target) fill(ctx context.Context) error {
	a := newAttacker(t, "127.0.0.1")
	for _, token := range []string{t.attacked.ExchangeToken, t.other.ExchangeToken} {
		if status, body := a.send(ctx, http.MethodPost, "/v2/sync-gate/products", token, products(filledProducts),
			ndjson()); status != 200 {
			return fmt.Errorf("push the products: %d %.300s", status, body)
		}
	}

	for _, c := range []struct {
		key  string
		sold *string
	}{{t.other.PublishableKey, &t.sold}, {t.attacked.PublishableKey, &t.attackedSold}} {
		ids, err := a.firstIDs(ctx, c.key, variantLists, "variants", 1)
		if err != nil {
			return err
		}
		*c.sold = ids[0]
	}

	var option strings.Builder
	option.WriteString(`{"name":"Article","values":[`)
	for i := range largeOptionValues {
		if i > 0 {
			option.WriteByte(',')
		}
		fmt.Fprintf(&option, `{"name":"Value %d"}`, i)
	}

	option.WriteString("]}")

	if status, body := a.send(ctx, http.MethodPost, "/v2/variant-options", t.attacked.SecretKey,
		[]byte(option.String())); status != 201 {
		return fmt.Errorf("create the large option: %d %.300s", status, body)
	}

	return nil
}

// products returns NDJSON for a push of products.
func products(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":%d,"name":"Product %d","single_variant":true,"variant_price":1}`+"\n", i, i)
	}
	return []byte(b.String())
}

func ndjson() header { return header{"Content-Type", "application/x-ndjson"} }

// firstIDs returns the ids of the first n entries of a list, or of what each entry has under member.
func (a *attacker) firstIDs(ctx context.Context, key, path, member string, n int) (ids []string, err error) {
	for page := 1; len(ids) < n; page++ {
		address := fmt.Sprintf("http://%s%s&page=%d", a.api, path, page)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}

		r.Header.Set("Authorization", "Bearer "+key)
		status, body, err := readResponse(a.client.Do(r))
		if err != nil || status != 200 {
			return nil, fmt.Errorf("list %s: %d %.200s %w", path, status, body, err)
		}

		var list struct {
			Data []map[string]json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, err
		}
		if len(list.Data) == 0 {
			return nil, fmt.Errorf("%s has only %d entries", path, len(ids))
		}

		for _, entry := range list.Data {
			entries := []struct{ ID string }{{}}
			if member == "" {
				err = json.Unmarshal(entry["id"], &entries[0].ID)
			} else {
				err = json.Unmarshal(entry[member], &entries)
			}

			if err != nil {
				return nil, err
			}

			for _, e := range entries {
				ids = append(ids, e.ID)
			}
		}
	}

	return ids[:n], nil
}

func attackZstdWindows(ctx context.Context, a *attacker) error {
	var group sync.WaitGroup
	for _, log := range []int{25, 23, 20} {
		frame := zstdWindow(log)
		head := requestHead("/v2/feedback", a.attacked.PublishableKey,
			fmt.Sprintf("Content-Encoding: zstd\r\nContent-Length: %d\r\n", len(frame)+200_000))
		group.Go(func() { a.stall(ctx, a.api, 140, append([]byte(head), frame...), "", 0) })
	}
	group.Wait()
	return nil
}

func attackHeaders(ctx context.Context, a *attacker) error {
	text := []byte("GET / HTTP/1.1\r\nHost: localhost\r\n" + headerLines(225_000))
	within := []byte("GET / HTTP/1.1\r\nHost: localhost\r\n" + headerLines(14_000)) // below the limit, and held
	var group sync.WaitGroup
	group.Go(func() { a.stall(ctx, a.api, 150, text, "", 0) })
	group.Go(func() { a.stall(ctx, a.api, 150, within, "", 0) })
	group.Go(func() { a.stall(ctx, a.admin, 50, within, "", 0) })
	group.Wait()
	return nil
}

func attackMembers(ctx context.Context, a *attacker) error {
	body := gzipped(func(w io.Writer) { writeMembers(w, 900_000) })
	small := gzipped(func(w io.Writer) { writeMembers(w, 20_000) }) // below the limit of the body
	flood(ctx, 32, 300, func(i int) {
		path := []string{"/v2/feedback", "/v2/orders"}[i%2]
		packed := body
		if i%3 == 0 {
			packed = small
		}
		a.send(ctx, http.MethodPost, path, a.attacked.PublishableKey, packed, header{"Content-Encoding", "gzip"})
	})
	return nil
}

func attackPageCache(ctx context.Context, a *attacker) error {
	get := func(path, host string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.api+path, nil)
		if err != nil {
			a.count("invalid request")
			return
		}

		r.Host = host
		r.Header.Set("Authorization", "Bearer "+a.attacked.PublishableKey)
		status, _, err := readResponse(a.client.Do(r))
		a.countResponse(ctx, status, err)
	}

	long := strings.Repeat("a", 1_000_000)
	flood(ctx, 8, 50, func(i int) { get(fmt.Sprintf("/v2/products?per_page=1&page=%d", i+1), long) })
	others := strings.Repeat(",00000000-0000-7000-8000-000000000000", 90)
	flood(ctx, 8, 20_000, func(i int) {
		get(fmt.Sprintf("/v2/products?ids=00000000-0000-7000-8000-%012d%s", i, others), fmt.Sprintf("%0250d", i))
	})

	return nil
}

func attackScans(ctx context.Context, a *attacker) error {
	// The first has too many scans. The second is within the limits; half of its clients leave while it is decoded.
	bomb, allowed := scanBomb(6000, 4000, 500), scanBomb(6000, 4000, 45)
	mediaType := header{"Content-Type", "image/jpeg"}
	flood(ctx, 32, 320, func(i int) {
		if i%2 == 0 {
			a.send(ctx, http.MethodPost, "/v2/images", a.attacked.SecretKey, bomb, mediaType)
			return
		}
		short, cancel := context.WithTimeout(ctx, []time.Duration{500 * time.Millisecond, time.Minute}[i/2%2])
		defer cancel()
		a.send(short, http.MethodPost, "/v2/images", a.attacked.SecretKey, allowed, mediaType)
	})
	return nil
}

// attackReads requests all values of a large option and reads them slowly, and lists with everything beside them.
func attackReads(ctx context.Context, a *attacker) error {
	options, err := a.firstIDs(ctx, a.attacked.PublishableKey, "/v2/variant-options?per_page=1", "", 1)
	if err != nil {
		return err
	}

	var group sync.WaitGroup
	for range 30 {
		group.Go(func() { a.readSlowly(ctx, "/v2/variant-options/"+options[0]+"?with=values") })
	}

	group.Go(func() {
		flood(ctx, 40, 1_000_000, func(i int) {
			path := fmt.Sprintf("/v2/products?per_page=250&with=variants,facets&price%%5Bto%%5D=%d", i+1)
			a.send(ctx, http.MethodGet, path, a.attacked.PublishableKey, nil)
		})
	})
	group.Wait()

	return nil
}

// readSlowly requests a path and reads 2 KB of the response every second.
func (a *attacker) readSlowly(ctx context.Context, path string) {
	conn, err := a.dialer.DialContext(ctx, "tcp", a.api)
	if err != nil {
		a.countResponse(ctx, 0, err)
		return
	}
	defer func() { _ = conn.Close() }()

	end, _ := ctx.Deadline()
	_ = conn.SetDeadline(end)
	_, _ = io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+
		a.attacked.PublishableKey+"\r\n\r\n")

	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 2<<10), nil)
	if err != nil {
		a.countResponse(ctx, 0, err)
		return
	}
	defer func() { _ = res.Body.Close() }()

	a.countResponse(ctx, res.StatusCode, nil)

	for err == nil && ctx.Err() == nil {
		if _, err = io.CopyN(io.Discard, res.Body, 2<<10); err == nil {
			time.Sleep(time.Second)
		}
	}
}

func attackSpool(ctx context.Context, a *attacker) error {
	const text = `{"name":"x","values":[`
	bomb := zstdBomb(text, 1<<30)
	within := zstdBomb(text, 60<<20) // less than what is checked for its ratio, and held open
	held := []byte(requestHead("/v2/variant-options", a.attacked.SecretKey,
		fmt.Sprintf("Content-Encoding: zstd\r\nContent-Length: %d\r\n", len(within)+1_000_000)) + string(within))

	flood(ctx, 4, 20, func(i int) {
		path := "/v2/variant-options"
		key := a.attacked.SecretKey
		if i%2 == 1 {
			path = "/v2/sync-gate/products?atomic=true"
			key = a.attacked.ExchangeToken
		}
		a.send(ctx, http.MethodPost, path, key, bomb, header{"Content-Encoding", "zstd"})
	})

	a.stall(ctx, a.api, 40, held, string(zstdComplete(" ")), time.Second)
	return nil
}

func attackPushMembers(ctx context.Context, a *attacker) error {
	body := gzipped(func(w io.Writer) { writeMembers(w, 3_000_000) })
	flood(ctx, 8, 80, func(i int) {
		path := "/v2/variant-options"
		key := a.attacked.SecretKey
		if i%2 == 1 {
			path = "/v2/sync-gate/products"
			key = a.attacked.ExchangeToken
		}
		a.send(ctx, http.MethodPost, path, key, body, header{"Content-Encoding", "gzip"})
	})
	return nil
}

func attackAtomic(ctx context.Context, a *attacker) error {
	body := products(50_000)
	flood(ctx, 2, 10, func(i int) {
		path := "/v2/sync-gate/products?atomic=true" + []string{"", "&dry_run=true"}[i%2]
		a.send(ctx, http.MethodPost, path, a.attacked.ExchangeToken, body, ndjson())
	})
	return nil
}

func attackIdempotency(ctx context.Context, a *attacker) error {
	victim := newAttacker(a.target, "127.0.0.1")

	post := func(by *attacker, path, body, key string, headers ...header) (status int, order, token string) {
		status, response := by.send(ctx, http.MethodPost, path, a.attacked.PublishableKey, []byte(body),
			append(headers, header{"Idempotency-Key", key})...)
		var created struct {
			Data struct {
				ID    string `json:"id"`
				Token string `json:"order_token"`
			} `json:"data"`
		}
		_ = json.Unmarshal(response, &created) // a refusal has no order

		return status, created.Data.ID, created.Data.Token
	}

	const orders, empty = "/v2/orders", `{"items":[]}`
	for i := range 50 {
		guess := fmt.Sprintf("order-%d", i)
		_, order, _ := post(victim, orders, empty, guess)
		if status, stolen, _ := post(a, orders, empty, guess); stolen != "" && stolen == order {
			return fmt.Errorf("the key %s gave away an order (%d)", guess, status)
		}
	}

	_, order, token := post(victim, orders, empty, "0123456789abcdef0123")
	variants, err := a.firstIDs(ctx, a.attacked.PublishableKey, variantLists, "variants", 1)
	if err != nil {
		return err
	}

	items := "/v2/orders/" + order + "/items"
	line := fmt.Sprintf(`{"variant_id":%q,"quantity":1}`, variants[0])
	const key = "0123456789abcdef0124"
	if status, _, _ := post(victim, items, line, key, header{"X-Order-Token", token}); status != 201 {
		return fmt.Errorf("the victim's line got %d", status)
	}
	if status, _, _ := post(a, items, line, key); status < 400 {
		return fmt.Errorf("a replay without the token of the order got %d", status)
	}

	return nil
}

func attackCarts(ctx context.Context, a *attacker) error {
	variants, err := a.firstIDs(ctx, a.attacked.PublishableKey, variantLists, "variants", cartLines)
	if err != nil {
		return err
	}
	lines := make([]string, len(variants))
	for i, id := range variants {
		lines[i] = fmt.Sprintf(`{"variant_id":%q,"quantity":1}`, id)
	}
	body := gzipped(func(w io.Writer) { fmt.Fprintf(w, `{"items":[%s]}`, strings.Join(lines, ",")) })
	flood(ctx, 8, 600, func(int) {
		a.send(ctx, http.MethodPost, "/v2/orders", a.attacked.PublishableKey, body, header{"Content-Encoding", "gzip"})
	})
	return nil
}

// signIn sends the form of the administration and returns the status and the cookies.
func (a *attacker) signIn(
	ctx context.Context, email, password string, cookies []*http.Cookie,
) (status int, given []*http.Cookie) {
	form := url.Values{"email": {email}, "password": {password}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+a.admin+"/login",
		strings.NewReader(form.Encode()))
	if err != nil {
		a.count("invalid request")
		return 0, nil
	}

	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range cookies {
		r.AddCookie(c)
	}

	res, err := a.client.Do(r)
	if err != nil {
		a.countResponse(ctx, 0, err)
		return 0, nil
	}

	given = res.Cookies()
	_ = res.Body.Close()
	a.countResponse(ctx, res.StatusCode, nil)

	return res.StatusCode, given
}

func attackOperator(ctx context.Context, a *attacker) error {
	owner := newAttacker(a.target, "127.0.0.1")
	status, cookies := owner.signIn(ctx, a.other.AdminEmail, a.other.AdminPassword, nil)
	if status != http.StatusSeeOther {
		return fmt.Errorf("the owner cannot sign in: %d", status)
	}

	flood(ctx, 2, 20, func(int) { a.signIn(ctx, a.other.AdminEmail, "wrong password", nil) })
	var known []*http.Cookie
	for _, c := range cookies {
		if strings.HasSuffix(c.Name, "device") {
			known = append(known, c)
		}
	}

	if status, _ := owner.signIn(ctx, a.other.AdminEmail, a.other.AdminPassword, known); status != http.StatusSeeOther {
		return fmt.Errorf("the owner is locked out of a known browser: %d", status)
	}

	return nil
}

func attackSlowBodies(ctx context.Context, a *attacker) error {
	text := []byte(requestHead("/v2/feedback", a.attacked.PublishableKey, "Content-Length: 1000\r\n") + "{")
	var group sync.WaitGroup
	group.Go(func() { a.stall(ctx, a.api, 420, text, " ", 2*time.Second) })
	group.Go(func() {
		form := strings.Replace(requestHead("/login", "x", "Content-Length: 1000\r\n"), "application/json",
			"application/x-www-form-urlencoded", 1)
		a.stall(ctx, a.admin, 300, []byte(form+"e"), "e", 2*time.Second)
	})
	group.Wait()
	return nil
}

func attackChunks(ctx context.Context, a *attacker) error {
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	head := requestHead("/v2/feedback", a.attacked.PublishableKey, "Transfer-Encoding: chunked\r\n")
	for _, chunk := range []string{"zz\r\n", "-1\r\n", "5\r\nhelloXX", "fffffffffffffffff\r\n",
		"5;" + strings.Repeat("a", 20_000) + "\r\nhello\r\n",
		"5\r\nhello\r\n" + strings.Repeat("1;aaaaaaaaaa\r\nx\r\n", 5000)} {
		a.stall(short, a.api, 5, []byte(head+chunk+"\r\n"), "", 0)
	}
	return nil
}

func attackLogins(ctx context.Context, a *attacker) error {
	// Each is for another account, so that the lockout of one does not hide the limit of the address.
	flood(ctx, 300, 300, func(i int) { a.signIn(ctx, fmt.Sprintf("owner-%d@example.com", i), "wrong password", nil) })
	if tried := a.seen["401"]; tried > 60 {
		return fmt.Errorf("%d passwords were compared, the limit is 60 a minute", tried)
	}
	return nil
}
