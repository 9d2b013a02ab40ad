package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// commandCase says how a command is called without a shop, and what it may do.
type commandCase struct {
	// args follow the name of the command. DIR stands for a directory of the test.
	args []string
	// creates says that the command may create a shop.
	creates bool
	// noShop says that the command says that there is no shop. The others do not use the database.
	noShop bool
}

const someID = "01980000-0000-7000-8000-000000000001"

// commandCases are all commands.
var commandCases = map[string]commandCase{
	"serve":        {creates: true},
	"migrate":      {creates: true},
	"store create": {creates: true},
	"demo":         {creates: true},
	"restore":      {creates: true},
	"store import": {creates: true},
	"store export": {args: []string{someID, "--to", "DIR/shop.tar"}, noShop: true},
	"store remove": {args: []string{someID, "--yes"}, noShop: true},
	"store list":   {noShop: true},
	"key create":   {args: []string{"--store", someID}, noShop: true},
	"key list":     {args: []string{"--store", someID}, noShop: true},
	"key rotate":   {args: []string{someID}, noShop: true},
	"key revoke":   {args: []string{someID}, noShop: true},
	"admin create": {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"admin list":   {args: []string{"--store", someID}, noShop: true},
	"admin invite": {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"admin set-role": {args: []string{"--store", someID, "--email", "a@shop.example", "--role", "viewer"},
		noShop: true},
	"admin disable":        {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"admin enable":         {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"admin remove":         {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"admin reset-password": {args: []string{"--email", "a@shop.example"}, noShop: true},
	"admin change-email":   {args: []string{"--email", "a@shop.example", "--to", "b@shop.example"}, noShop: true},
	"customer erase":       {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"customer export":      {args: []string{"--store", someID, "--email", "a@shop.example"}, noShop: true},
	"jobs list":            {noShop: true},
	"jobs retry":           {args: []string{"7"}, noShop: true},
	"jobs discard":         {args: []string{"7"}, noShop: true},
	"secret rotate":        {args: []string{"--new-key-file", "DIR/new.key"}, noShop: true},
	"secret reset":         {args: []string{"--yes"}, noShop: true},
	"search":               {args: []string{"lamp", "--store", someID}, noShop: true},
	"backup":               {args: []string{"DIR/copy"}, noShop: true},
	"blob copy":            {args: []string{"DIR/images"}, noShop: true},
	"blob accept":          {noShop: true},
	"check":                {noShop: true},
	"diagnose":             {args: []string{"DIR/bundle.tar.gz", "--admin-addr", "127.0.0.1:1"}},
	"health":               {args: []string{"--admin-addr", "127.0.0.1:1"}},
	"env":                  {},
	"push":                 {args: []string{"DIR/none.json", "--to", "http://127.0.0.1:1", "--token", "xt_0"}},
	"export": {args: []string{"products", "--url", "http://127.0.0.1:1", "--token", "xt_0", "--out",
		"DIR/none.json", "--retries", "0"}},
	"copy": {args: []string{"--from", "http://127.0.0.1:1", "--to", "http://127.0.0.1:1", "--from-token", "xt_0",
		"--to-token", "xt_0", "--retries", "0"}},
	"types":     {args: []string{"--url", "http://127.0.0.1:1", "--key", "pk_0"}},
	"listen":    {args: []string{"--to", "http://127.0.0.1:1", "--key", "sk_0"}},
	"1c":        {args: []string{"--url", "http://127.0.0.1:1", "--password", "xt_0"}},
	"version":   {},
	"reference": {},
}

// Only the commands that are there for it create a shop: one with the wrong settings would leave an empty one, and say
// that all is well.
func TestCommands_createNoShopByTheWay(t *testing.T) {
	found := map[string]bool{}
	for _, leaf := range newTestParser(t).Model.Leaves(false) {
		name := strings.TrimPrefix(leaf.FullPath(), "vitrine ")
		found[name] = true
		c, known := commandCases[name]
		if !known {
			t.Errorf("vitrine %s is not in the table of this test", name)
			continue
		}

		if _, ok := storageFlag(leaf); ok && !c.creates && !c.noShop && name != "diagnose" && name != "env" {
			t.Errorf("vitrine %s has --data, and the table does not say what it does without a shop", name)
		}
		if c.creates {
			continue
		}

		t.Run(name, func(t *testing.T) {
			for _, engine := range databasetest.SampledEngines(t) {
				c.run(t, name, engine)
			}
		})
	}

	for name := range commandCases {
		if !found[name] {
			t.Errorf("there is no command vitrine %s", name)
		}
	}
}

// storageFlag returns the flag --database of a command.
func storageFlag(leaf *kong.Node) (*kong.Flag, bool) {
	for _, group := range leaf.AllFlags(true) {
		for _, flag := range group {
			if flag.Name == "database" {
				return flag, true
			}
		}
	}
	return nil, false
}

// run calls the command without a shop, and checks that it leaves none.
func (c commandCase) run(t *testing.T, name, engine string) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	t.Setenv("VITRINE_DATA", data)
	var url string

	if engine == database.Postgres {
		url = databasetest.NewURL(t, engine)
		t.Setenv("VITRINE_DATABASE", url)
	}

	args := strings.Fields(name)
	for _, arg := range c.args {
		args = append(args, strings.ReplaceAll(arg, "DIR", dir))
	}

	var stdout, stderr bytes.Buffer
	code := runCommandLine(context.Background(), args, &stdout, &stderr)

	if c.noShop && engine == database.Postgres && name == "backup" {
		return // it refuses PostgreSQL before it looks for the shop
	}

	if c.noShop && (code != 1 || !strings.Contains(stderr.String(), "there is no shop") ||
		!strings.Contains(stderr.String(), "/etc/vitrine/vitrine.env")) {
		t.Errorf("vitrine %s on %s exits with %d: %s%s", strings.Join(args, " "), engine, code, &stdout, &stderr)
	}

	if code == 2 {
		t.Errorf("vitrine %s: %s", strings.Join(args, " "), &stderr)
	}
	if files, err := os.ReadDir(data); err == nil {
		t.Errorf("vitrine %s on %s creates %v in the data directory", name, engine, files)
	}

	if url != "" {
		wantNoTables(t, url, name)
	}
}

// wantNoTables checks that a PostgreSQL database is empty.
func wantNoTables(t *testing.T, url, name string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: url, Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	status, err := db.SchemaStatus(t.Context())
	if err != nil || status.Version != 0 {
		t.Errorf("vitrine %s leaves the schema %d, %v", name, status.Version, err)
	}
}
