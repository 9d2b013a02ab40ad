package app_test

import (
	"log/slog"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
)

func TestOutbound_allowsConfiguredExceptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		cfg             config.Serve
		reached, denied []string
	}{
		{"default", config.Serve{}, []string{"https://shop.example/"},
			[]string{"http://shop.example/", "https://localhost/", "https://10.1.2.3/"}},
		{"with --allow-http and --allow-net", config.Serve{AllowHTTP: true, AllowNet: []string{"10.1.0.0/16"}},
			[]string{"http://shop.example/", "http://10.1.2.3/"}, []string{"http://10.2.0.1/", "http://localhost/"}},
		{"with --dev", config.Serve{Dev: true},
			[]string{"http://localhost:3000/", "http://127.0.0.1/", "http://[::1]/"}, []string{"http://10.1.2.3/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.cfg.Storage = config.Storage{Data: t.TempDir()}
			c.cfg.APIAddr = "127.0.0.1:0"
			c.cfg.AdminAddr = "127.0.0.1:0"

			a, err := app.New(t.Context(), c.cfg, "test", slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()

			for _, address := range c.reached {
				if _, err := a.Outbound.CheckURL(address); err != nil {
					t.Errorf("%s is refused: %v", address, err)
				}
			}

			for _, address := range c.denied {
				if _, err := a.Outbound.CheckURL(address); err == nil {
					t.Errorf("%s is allowed", address)
				}
			}
		})
	}
}
