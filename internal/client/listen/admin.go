package listener

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/fault"
)

// Admin is a store's administration: where it is, and a secret key of the store.
type Admin struct {
	base *url.URL
	key  string
}

// NewAdmin takes the address of the administration, such as http://localhost:8081, and a secret key.
func NewAdmin(address, key string) (Admin, error) {
	base, err := url.Parse(strings.TrimSpace(address))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return Admin{}, fault.New(fault.Invalid, "invalid_address", "The address of the administration must be one such as http://localhost:8081 or https://admin.shop.example; vitrine serve prints it.")
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/api")
	key = strings.TrimSpace(key)
	if !strings.HasPrefix(key, "sk_") || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Admin{}, fault.New(fault.Invalid, "invalid_key", "The key must be a secret key of the store; it begins with sk_. vitrine key create --kind secret makes one.")
	}
	return Admin{base, key}, nil
}

// String is the address, without the key.
func (a Admin) String() string { return a.base.String() }

// local reports whether the administration is on this machine, as far as its address tells.
func (a Admin) local() bool {
	ip := net.ParseIP(a.base.Hostname())
	return a.base.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// receivers is an address among the receivers.
func (a Admin) receivers(parts ...string) string {
	return a.base.JoinPath(append([]string{"api", "store", "webhook-receivers"}, parts...)...).String()
}

// curl is a request as a line for a shell. It holds no key.
func curl(method, address string) string {
	return fmt.Sprintf(`curl -X %s '%s' -H "Authorization: Bearer $VITRINE_KEY"`, method, address)
}

// registered is a receiver of ours.
type registered struct {
	id, url string
	key     []byte // events are signed with it
}

// receiverDocument is the response to a registration.
type receiverDocument struct {
	Data struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	} `json:"data"`
}

// register makes a receiver. It is not cut short by a signal, which could leave a receiver that nobody knows of. All
// tries carry the same Idempotency-Key, so the server makes one receiver though several tries may reach it.
func (j *Job) register(ctx context.Context, address string) (registered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), registerTime)
	defer cancel()
	body, err := json.Marshal(map[string]any{"url": address, "webhook_types": j.Types})
	if err != nil {
		return registered{}, err
	}
	header := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {rand.Text()}}
	var made receiverDocument
	err = j.retry(ctx, func() error {
		return j.ask(ctx, http.MethodPost, j.Admin.receivers(), header, body, func(status int, text []byte) error {
			// The receiver in the body proves the success. The status alone does not.
			made = receiverDocument{}
			if err := json.Unmarshal(text, &made); err != nil || made.Data.ID == "" {
				return noReceiver(j.Admin, status, text)
			}
			return nil
		})
	})
	if err != nil {
		return registered{}, err
	}
	r := registered{id: made.Data.ID, url: address}
	secret, found := strings.CutPrefix(made.Data.Secret, "whsec_")
	if r.key, err = base64.StdEncoding.DecodeString(secret); err != nil || !found || len(r.key) == 0 {
		return registered{}, errors.Join(fault.New(fault.Unavailable, "no_secret", "The answer holds no secret of the form whsec_… to verify events with."), j.unregister(ctx, r))
	}
	return r, nil
}

// unregister deletes our receiver, though the context may have ended.
func (j *Job) unregister(ctx context.Context, r registered) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unregisterTime)
	defer cancel()
	address := j.Admin.receivers(r.id)
	tries := 0
	err := j.retry(ctx, func() error {
		tries++
		return j.ask(ctx, http.MethodDelete, address, nil, nil, func(status int, _ []byte) error {
			if status != http.StatusNoContent {
				return notDeleted(j.Admin, status)
			}
			return nil
		})
	})
	switch {
	case fault.KindOf(err) == fault.NotFound && tries == 1:
		j.Say("The receiver was deleted by somebody else.")
	case fault.KindOf(err) == fault.NotFound:
		j.Say("The receiver is unregistered.") // by a try of ours whose response was lost
	case err != nil:
		return fault.New(fault.Unavailable, "still_registered", "The receiver %s is still registered. Delete it by hand:\n  %s", r.id, curl(http.MethodDelete, address)).Because(err)
	default:
		j.Say("The receiver is unregistered.")
	}
	return nil
}
