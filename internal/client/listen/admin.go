package listen

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

// Admin is the address of a store's admin API with a secret key of the store.
type Admin struct {
	base *url.URL
	key  string
}

// NewAdmin validates the address of the admin API, such as http://localhost:8081, and a secret key.
func NewAdmin(address, key string) (Admin, error) {
	base, err := url.Parse(strings.TrimSpace(address))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return Admin{}, fault.New(fault.Invalid, "invalid_address", "The address of the administration "+
			"must be a URL such as http://localhost:8081 or https://admin.shop.example; vitrine serve prints it.")
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/api")
	key = strings.TrimSpace(key)
	if !request.IsToken(key, "sk_") {
		return Admin{}, fault.New(fault.Invalid, "invalid_key", "The key must be a secret key of the store, which "+
			"begins with sk_. Create one with vitrine key create --kind secret.")
	}
	return Admin{base, key}, nil
}

// String returns the address without the key.
func (a Admin) String() string { return a.base.String() }

func (a Admin) receiversURL(segments ...string) string {
	return a.base.JoinPath(append([]string{"api", "store", "webhook-receivers"}, segments...)...).String()
}

// curlCommand returns a request as a shell command, which reads the key from an environment variable.
func curlCommand(method, address string) string {
	return fmt.Sprintf(`curl -X %s '%s' -H "Authorization: Bearer $VITRINE_KEY"`, method, address)
}

type registration struct {
	id, url    string
	signingKey []byte // for the signatures of events
}

type receiverResponse struct {
	Data struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	} `json:"data"`
}

// register registers a receiver. It is not cancelled by ctx: an interrupted registration could leave a receiver that
// nobody deletes. All attempts have the same Idempotency-Key, so the server registers only one.
func (j *Job) register(ctx context.Context, address string) (registration, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), registerTimeout)
	defer cancel()

	body, err := json.Marshal(map[string]any{"url": address, "webhook_types": j.Types})
	if err != nil {
		return registration{}, err
	}

	header := http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {rand.Text()}}
	var created receiverResponse

	err = j.retry(ctx, func() error {
		return j.send(ctx, http.MethodPost, j.Admin.receiversURL(), header, body, func(status int, text []byte) error {
			// Only the receiver in the body proves the success, not the status.
			created = receiverResponse{}
			if err := json.Unmarshal(text, &created); err != nil || created.Data.ID == "" {
				return noReceiverError(j.Admin, status, text)
			}
			return nil
		})
	})
	if err != nil {
		return registration{}, err
	}

	r := registration{id: created.Data.ID, url: address}
	secret, ok := strings.CutPrefix(created.Data.Secret, "whsec_")
	if r.signingKey, err = base64.StdEncoding.DecodeString(secret); err != nil || !ok || len(r.signingKey) == 0 {
		err = fault.New(fault.Unavailable, "no_secret",
			"The response does not contain a secret of the form whsec_…, which is needed to verify events.")
		return registration{}, errors.Join(err, j.unregister(ctx, r))
	}

	return r, nil
}

// unregister deletes the receiver, even if ctx has ended.
func (j *Job) unregister(ctx context.Context, r registration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unregisterTimeout)
	defer cancel()

	address := j.Admin.receiversURL(r.id)
	attempts := 0

	err := j.retry(ctx, func() error {
		attempts++
		return j.send(ctx, http.MethodDelete, address, nil, nil, func(status int, _ []byte) error {
			if status == http.StatusNoContent {
				return nil
			}
			return &request.Transient{Err: fault.New(fault.Unavailable, "not_deleted", "%s answered %s instead of %s.",
				j.Admin, request.StatusText(status), request.StatusText(http.StatusNoContent))}
		})
	})
	switch {
	case fault.KindOf(err) == fault.NotFound && attempts == 1:
		j.Info("The receiver was already deleted.")
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return fault.New(fault.Unavailable, "still_registered",
			"The receiver %s is still registered. Delete it by hand:\n  %s", r.id,
			curlCommand(http.MethodDelete, address)).Because(err)
	default: // if it is not found, an earlier attempt has deleted it, and its response was lost
		j.Info("The receiver is unregistered.")
	}

	return nil
}
