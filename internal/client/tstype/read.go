package tstype

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/client/request"
	"vitrine/internal/kit/fault"
)

const (
	// maxResponseBytes limits the size of a page of features or options with all their values.
	maxResponseBytes = 256 << 20

	maxRetries    = 3
	minRetryDelay = 200 * time.Millisecond
	maxRetryDelay = 10 * time.Second
)

// API is the address of a store's API, with a key of the store.
type API struct {
	base *url.URL
	key  string
}

// NewAPI validates the address of an API, a URL or a host, and a publishable or secret key.
func NewAPI(address, key string) (API, error) {
	if address = strings.TrimSpace(address); !strings.Contains(address, "://") {
		address = "https://" + address
		if u, err := url.Parse(address); err == nil && request.IsLocal(u.Hostname()) {
			u.Scheme = "http"
			address = u.String()
		}
	}

	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return API{}, fault.New(fault.Invalid, "invalid_address", "The address of the API must be a URL such as "+
			"http://localhost:8080 or https://api.shop.example.")
	}

	base.Path = strings.TrimRight(base.Path, "/")
	key = strings.TrimSpace(key)
	if !request.IsToken(key, "pk_") && !request.IsToken(key, "sk_") {
		return API{}, fault.New(fault.Invalid, "invalid_key", "The key must be a publishable key of the store, which "+
			"begins with pk_, or a secret one, which begins with sk_.")
	}
	return API{base, key}, nil
}

// String returns the address without the key.
func (a API) String() string { return a.base.String() }

// Name says by what features, options and their values are named.
type Name string

// The names. By ByExternalID, what has no external id has its name.
const (
	ByName       Name = "name"
	ByExternalID Name = "external-id"
)

// described is a feature, an option or a value, as the API shows it.
type described struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	ExternalID *string `json:"external_id"`
	Filterable bool    `json:"filterable"`
	FieldType  struct {
		ID string `json:"id"`
	} `json:"field_type"`
	Values []described `json:"values"`
}

func (d described) called(by Name) string {
	if by == ByExternalID && d.ExternalID != nil {
		return *d.ExternalID
	}
	return d.Name
}

// Read reads the filterable features and the options of a store. Names that occur twice are made different.
func Read(ctx context.Context, client *http.Client, api API, by Name) (features, options []Attribute, err error) {
	shown, err := readAll(ctx, client, api, "features")
	if err != nil {
		return nil, nil, err
	}
	shown = slices.DeleteFunc(shown, func(d described) bool { return !d.Filterable })
	features = attributes(shown, by)

	if shown, err = readAll(ctx, client, api, "variant-options"); err != nil {
		return nil, nil, err
	}
	return features, attributes(shown, by), nil
}

func attributes(list []described, by Name) []Attribute {
	result := make([]Attribute, len(list))
	for i, d := range list {
		values := make([]Value, len(d.Values))
		for j, v := range d.Values {
			values[j] = Value{Name: v.called(by), ID: v.ID}
		}
		distinct(values, func(v *Value) *string { return &v.Name }, func(v *Value) string { return v.ID })
		result[i] = Attribute{Name: d.called(by), ID: d.ID, IsRange: d.FieldType.ID == "range", Values: values}
	}
	distinct(result, func(a *Attribute) *string { return &a.Name }, func(a *Attribute) string { return a.ID })
	return result
}

// readAll reads all pages of a list.
func readAll(ctx context.Context, client *http.Client, api API, list string) (all []described, err error) {
	for page := 1; ; page++ {
		var answer struct {
			Data []described `json:"data"`
			Meta struct {
				LastPage int `json:"last_page"`
			} `json:"meta"`
		}
		address := api.base.JoinPath("v2", list)
		address.RawQuery = url.Values{"with": {"values"}, "per_page": {"250"}, "page": {strconv.Itoa(page)},
			"dates": {"iso"}}.Encode()

		err := request.Retries{Max: maxRetries, MinDelay: minRetryDelay, MaxDelay: maxRetryDelay,
			Before: func(error, time.Duration) { client.CloseIdleConnections() },
		}.Do(ctx, func() error { return get(ctx, client, api, address.String(), &answer) })
		if err != nil {
			return nil, err
		}

		all = append(all, answer.Data...)
		if page >= answer.Meta.LastPage {
			return all, nil
		}
	}
}

// get reads the JSON at an address of the API.
func get(ctx context.Context, client *http.Client, api API, address string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}

	req.Header.Set("Authorization", "Bearer "+api.key)
	req.Header.Set("User-Agent", "vitrine-types")
	resp, err := client.Do(req)
	if err != nil {
		return request.UnreachableServer(api, err)
	}
	defer resp.Body.Close()

	body, err := request.ReadBody(resp, maxResponseBytes)
	if err != nil {
		return err
	}

	if resp.StatusCode != http.StatusOK {
		var p request.Problem
		if err := json.Unmarshal(body, &p); err != nil || p.Code == "" {
			return fault.New(request.KindOf(resp.StatusCode), "unexpected_status",
				"%s answered %s, and not as the API of a store does.", api, request.StatusText(resp.StatusCode))
		}
		f := p.Fault(resp.StatusCode)
		if f.Kind == fault.Unavailable || f.Kind == fault.TooMany {
			return &request.Transient{Err: f, RetryAfter: request.RetryAfter(resp, time.Now())}
		}
		return f
	}

	if err := json.Unmarshal(body, answer); err != nil {
		return fault.New(fault.Unavailable, "incomplete_answer", "%s does not answer as the API of a store does.", api).
			Because(err)
	}
	return nil
}
