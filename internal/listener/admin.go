package listener

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/fault"
)

// maxAnswer is the most that the administration says of a receiver.
const maxAnswer = 1 << 20

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

// register makes a receiver. It is not cut short by a signal, which could leave a receiver that nobody knows of.
func (j *Job) register(ctx context.Context, address string) (registered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), registerTime)
	defer cancel()
	body, err := json.Marshal(map[string]any{"url": address, "webhook_types": j.Types})
	if err != nil {
		return registered{}, err
	}
	answer, err := j.ask(ctx, http.MethodPost, j.Admin.receivers(), body)
	if err != nil {
		return registered{}, err
	}
	var made struct {
		Data struct {
			ID     string `json:"id"`
			Secret string `json:"secret"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &made); err != nil || made.Data.ID == "" {
		return registered{}, notAdmin(j.Admin, http.StatusOK).Because(err)
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
	_, err := j.ask(ctx, http.MethodDelete, address, nil)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		j.Say("The receiver was deleted by somebody else.")
	case err != nil:
		return fault.New(fault.Unavailable, "still_registered", "The receiver %s is still registered. Delete it by hand:\n  %s", r.id, curl(http.MethodDelete, address)).Because(err)
	default:
		j.Say("The receiver is unregistered.")
	}
	return nil
}

// ask sends one request to the administration and returns what a success holds; anything else is a fault.
func (j *Job) ask(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+j.Admin.key)
	r.Header.Set("User-Agent", "vitrine-listen")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := j.Client.Do(r)
	if err != nil {
		return nil, unreachable(j.Admin, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, unreachable(j.Admin, err)
	}
	if answer.StatusCode/100 != 2 {
		return nil, refusal(j.Admin, answer, text)
	}
	return text, nil
}
