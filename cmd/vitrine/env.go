package main

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/app"
)

// The addresses of a server with default settings. A store that vitrine demo creates has them until a server runs.
const (
	defaultAPIURL   = "http://localhost:8080"
	defaultAdminURL = "http://localhost:8081"
)

type envCommand struct {
	Data string `help:"The directory that vitrine serve uses." default:"vitrine-data" type:"path" placeholder:"DIR"`
}

// Help returns the text that --help prints in addition to the flags.
func (*envCommand) Help() string {
	return `Sets the variables in a shell:

  eval "$(vitrine env)"

STORE_… variables are for your own commands. VITRINE_… variables are those that vitrine push and vitrine listen read. The values come from first-run.json in --data, which the first run of vitrine serve writes. Delete that file when you have saved the keys elsewhere.`
}

// Run prints the variables. It reads a file and does not open the database.
func (c *envCommand) Run(_ context.Context, o output) error {
	f, err := app.LoadFirstRun(c.Data)
	if err != nil {
		return err
	}

	var text strings.Builder
	for _, v := range []struct{ name, value string }{
		{"STORE_ID", f.StoreID.String()},
		{"STORE_URL", f.APIURL},
		{"STORE_ADMIN_URL", f.AdminURL},
		{"STORE_SECRET_KEY", f.SecretKey},
		{"STORE_PUBLISHABLE_KEY", f.PublishableKey},
		{"STORE_EXCHANGE_TOKEN", f.ExchangeToken},
		// The variables of vitrine push and vitrine listen.
		{"VITRINE_TO", f.APIURL},
		{"VITRINE_EXCHANGE_TOKEN", f.ExchangeToken},
		{"VITRINE_ADMIN_URL", f.AdminURL},
		{"VITRINE_KEY", f.SecretKey},
	} {
		fmt.Fprintf(&text, "export %s=%s\n", v.name, shellQuote(v.value))
	}

	_, err = fmt.Fprint(o.out, text.String())
	return err
}

// shellQuote returns the text as one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
