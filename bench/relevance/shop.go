package relevance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
	"vitrine/internal/demo"
	"vitrine/internal/kit/config"
	"vitrine/internal/shop/account"
)

// Shops are a running program with a filled store per language.
type Shops struct {
	server *harness.Server
	client *http.Client
	stores map[string]*shop
	// english has the catalogue of vitrine demo, without the Cyrillic products of the store "en".
	english *shop
}

type shop struct {
	*harness.Server
	*catalogue
}

// Open starts the program on loopback with a new store per language, fills the stores, sets their synonyms and waits
// until search is answered from memory.
func Open(ctx context.Context, storage config.Storage, products int) (s *Shops, err error) {
	server, err := harness.StartServerAt(ctx, storage, nil)
	if err != nil {
		return nil, err
	}
	s = &Shops{server: server, client: harness.NewClient(), stores: map[string]*shop{}}
	for _, language := range Languages() {
		if s.stores[language], err = s.openShop(ctx, language, demoLanguage(language), products); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if s.english, err = s.openShop(ctx, "en", demo.English, products); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close stops the program.
func (s *Shops) Close() error { return s.server.Stop() }

func (s *Shops) openShop(ctx context.Context, language string, of demo.Language, products int) (*shop, error) {
	settings := demo.Language(language).StoreSettings()
	keys, err := s.server.App.CreateStore(ctx, settings, account.NewOwner{})
	if err != nil {
		return nil, err
	}

	_, err = demo.Fill(ctx, s.server.App.DB, s.server.App.Catalog, keys.StoreID,
		demo.Options{Products: products, Language: of, Seed: demoSeed})
	if err != nil {
		return nil, err
	}

	own := *s.server
	own.Keys = keys
	sh := &shop{&own, newCatalogue(language, of, products)}
	if err := sh.setSynonyms(s.client); err != nil {
		return nil, err
	}
	return sh, sh.WaitForFacets(ctx, s.client)
}

func (s *shop) setSynonyms(c *http.Client) error {
	synonyms, err := synonymsOf(s.language)
	if err != nil {
		return err
	}
	body, err := json.Marshal(synonyms)
	if err != nil {
		return err
	}
	_, err = s.Do(c, http.MethodPut, "/v2/search/synonyms", body)
	return err
}

// answer is what a query found.
type answer struct {
	Data []struct {
		ExternalID string `json:"external_id"`
		Name       string `json:"name"`
	} `json:"data"`
	Meta struct {
		Total  int `json:"total"`
		Search struct {
			Matched   string   `json:"matched"`
			Corrected *string  `json:"corrected"`
			Dropped   []string `json:"dropped"`
		} `json:"search"`
	} `json:"meta"`
}

func (s *shop) ask(c *http.Client, text string) (a answer, err error) {
	err = s.GetJSON(c, "/v2/products?per_page=10&q="+url.QueryEscape(text), &a)
	return a, err
}

// describe returns how the search understood a query.
func (a *answer) describe() string {
	text := fmt.Sprintf("%d found, matched %q", a.Meta.Total, a.Meta.Search.Matched)
	if c := a.Meta.Search.Corrected; c != nil {
		text += fmt.Sprintf(", corrected %q", *c)
	}
	if d := a.Meta.Search.Dropped; len(d) > 0 {
		text += ", dropped " + strings.Join(d, " ")
	}
	return text
}
