package routes

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/apitest"
)

// accountRequest is what a request about a person's own account needs: the session, values for placeholders in the
// form, and the path, unless it is that of the route.
type accountRequest struct {
	session string
	replace []string
	path    string
}

// accountRequest creates what a request to a route about a person's own account needs. It returns false for other
// routes.
func (c *routeWalk) accountRequest(name string) (needs accountRequest, ok bool) {
	c.t.Helper()
	if !strings.HasPrefix(name, "POST /account") && name != "POST /stores" && name != "POST /login/code" &&
		name != "POST /invitation/{token}/join" {
		return needs, false
	}

	switch name {
	case "POST /account/password", "POST /account/language", "POST /account/codes",
		"POST /account/codes/disable", "POST /account/sessions/end":
		// These need nothing special, so they share an account while its session works: hashing passwords is slow.
		if _, err := c.App.Accounts.Sessions.Authenticate(c.t.Context(), c.account); err == nil {
			return accountRequest{session: c.account}, true
		}
	}

	email := fmt.Sprintf("account%d@north.example", c.requestCount)
	c.NewOperator(c.StoreID, email, access.Viewer)
	needs.session = c.signIn(email).Session
	c.account = needs.session

	p, err := c.App.Accounts.Sessions.Authenticate(c.t.Context(), needs.session)
	if err != nil {
		c.t.Fatal(err)
	}

	switch name {
	case "POST /account/email/cancel":
		c.requestEmail(p)
	case "POST /account/codes/enable":
		setup, code := c.setUpCodes(p)
		needs.replace = []string{"SETUP", setup.Sealed, "CODE", code}
	case "POST /account/codes/recovery":
		c.enableCodes(p)
	case "POST /account/sessions/{session}/end":
		other := access.HashToken(c.signIn(email).Session)
		needs.path = fmt.Sprintf("/account/sessions/%x/end", other[:])
	case "POST /login/code":
		recovery := c.enableCodes(p)
		needs.replace = []string{"PENDING", c.signIn(email).Pending, "RECOVERY", recovery}
		needs.session = ""

	case "POST /stores":
		other := c.newStore()
		c.Write(func(ctx context.Context, q database.Querier) error {
			_, token, err := c.App.Accounts.Operators.Invite(ctx, store.In(q, other), email, access.Viewer)
			if err != nil {
				return err
			}
			_, err = c.App.Accounts.Operators.JoinStore(ctx, q, p, token)
			return err
		})
		needs.replace = []string{"STORE", other.String()}

	case "POST /invitation/{token}/join":
		other := c.newStore()
		c.Write(func(ctx context.Context, q database.Querier) error {
			_, token, err := c.App.Accounts.Operators.Invite(ctx, store.In(q, other), email, access.Viewer)
			needs.path = "/invitation/" + token + "/join"
			return err
		})
	}

	return needs, true
}

// requestPassword returns the token of a link that sets a forgotten password.
func (c *routeWalk) requestPassword() (token string) {
	c.t.Helper()
	email := fmt.Sprintf("forgetful%d@north.example", c.requestCount)
	c.NewOperator(c.StoreID, email, access.Viewer)
	c.Write(func(ctx context.Context, q database.Querier) error {
		reset, _, err := c.App.Accounts.Profiles.RequestPasswordReset(ctx, q, email)
		token = reset.Token
		return err
	})
	return token
}

func (c *routeWalk) signIn(email string) account.SignedIn {
	c.t.Helper()
	in, err := c.App.Accounts.Sessions.SignIn(c.t.Context(), account.Login{Email: email,
		Password: apitest.OperatorPassword})
	if err != nil {
		c.t.Fatal(err)
	}
	return in
}

func (c *routeWalk) setUpCodes(p access.Principal) (setup account.CodeSetup, code string) {
	c.t.Helper()
	setup, err := c.App.Accounts.Profiles.SetUpCodes(p)
	if err != nil {
		c.t.Fatal(err)
	}
	if code, err = totp.GenerateCode(setup.Secret, c.Clock.Now()); err != nil {
		c.t.Fatal(err)
	}
	return setup, code
}

// enableCodes turns the second step on and returns a recovery code.
func (c *routeWalk) enableCodes(p access.Principal) (recovery string) {
	c.t.Helper()
	setup, code := c.setUpCodes(p)
	c.Write(func(ctx context.Context, q database.Querier) error {
		codes, err := c.App.Accounts.Profiles.EnableCodes(ctx, q, p, setup.Sealed, code)
		if err == nil {
			recovery = codes[0]
		}
		return err
	})
	return recovery
}

// newStore creates a store without operators.
func (c *routeWalk) newStore() (id store.ID) {
	c.t.Helper()
	c.Write(func(ctx context.Context, q database.Querier) error {
		s, err := c.App.Stores.Create(ctx, q, store.Edit{})
		id = s.ID
		return err
	})
	return id
}

// newMember adds an operator with a session to the store, and sets memberVersion.
func (c *routeWalk) newMember() string {
	c.t.Helper()
	email := fmt.Sprintf("member%d@north.example", c.requestCount)
	c.NewOperator(c.StoreID, email, access.Viewer)
	o := *c.signIn(email).Principal.Operator
	c.memberVersion = strconv.FormatInt(o.UpdatedAt.UnixMicro(), 10)
	return o.ID.String()
}

// unrecordedRoutes are the routes whose requests change something but leave no entry in the log, with the reason.
var unrecordedRoutes = map[string]string{
	"POST /webhooks/check": "changes nothing", "POST /product-changes": "shows a preview",
	"POST /v2/auth/passwordless/request": "a customer signs in",
	"POST /v2/auth/passwordless/confirm": "a customer signs in",
	"DELETE /v2/auth/session":            "a customer signs out", "PUT /v2/me": "a customer edits the profile",
	"POST /logout": "the session ends", "POST /language": "sets a cookie", "POST /account/codes": "shows a secret",
	"POST /v2/variant-options/{id}/impact": "computes", "POST /v2/features/{id}/impact": "computes",
	"POST /v2/orders": "a visitor's cart", "PUT /v2/orders/{id}": "a visitor's cart",
	"POST /v2/orders/{id}/items": "a visitor's cart", "PUT /v2/orders/{id}/items/{item_id}": "a visitor's cart",
	"DELETE /v2/orders/{id}/items/{item_id}": "a visitor's cart", "POST /v2/orders/{id}/submit": "a visitor's order",
	"POST /v2/search/clicks": "is counted",
}

// Every change by a key for programs or by an operator is in the log of who changed what.
func TestEveryRoute_leavesAnEntryInTheLog(t *testing.T) {
	t.Parallel()
	c := newRouteWalk(t, database.SQLite)
	for _, admin := range []bool{false, true} {
		server := c.App.API()
		if admin {
			server = c.App.Admin()
		}

		for _, r := range server.Routes() {
			name := r.Method + " " + r.Path
			if r.Method == http.MethodGet || r.Exchange || failsInText(r) || unrecordedRoutes[name] != "" {
				continue
			}

			route := walkedRoute{Route: r, name: name, admin: admin, handler: server}
			route.request = c.request(r)
			before := c.countEntries()
			if o := c.do(route, t.Context()); !o.succeeded() {
				t.Errorf("%s: got %d %s", name, o.status, o.body)
			} else if c.countEntries() == before {
				t.Errorf("%s leaves no entry in the log", name)
			}
		}
	}
}

func (c *routeWalk) countEntries() (n int64) {
	c.t.Helper()
	err := c.App.DB.Read(c.t.Context(), func(q database.Querier) error {
		return database.QueryRow(c.t.Context(), q, "SELECT COUNT(*) FROM audit_entries", nil, &n)
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// requestEmail asks for another e-mail address of a person and returns the token of the link.
func (c *routeWalk) requestEmail(p access.Principal) (token string) {
	c.t.Helper()
	c.Write(func(ctx context.Context, q database.Querier) error {
		change, err := c.App.Accounts.Profiles.RequestEmail(ctx, store.In(q, c.StoreID), p,
			fmt.Sprintf("next%d@account.example", c.requestCount))
		token = change.Token
		return err
	})
	return token
}
