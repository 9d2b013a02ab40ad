package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// shopAddress is the address of the API in responses, wherever the shop is.
const shopAddress = "https://api.shop.example"

// passing matches the parts of answers that depend on the time of the request.
var passing = regexp.MustCompile(`"(diff|last_used_at|request_id)": ?("[^"]*"|\{[^}]*\}|null)`)

// movedAnswers returns what a shop answers to requests that show all its parts, by their paths, with an image file.
func movedAnswers(t *testing.T, s *apitest.Server) map[string]string {
	t.Helper()
	answers := map[string]string{}
	read := func(path string) *apitest.Response {
		r := s.Get(path)
		answers[path] = string(r.Body)
		return r
	}

	products := read("/v2/products?per_page=100&with=variants,features,images,facets")
	var list struct {
		Data []struct {
			ID     string
			Images []struct{ URL string }
		}
	}
	if err := json.Unmarshal(products.Body, &list, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for _, p := range list.Data {
		read("/v2/products/" + p.ID)
		for _, im := range p.Images {
			read(strings.TrimPrefix(im.URL, shopAddress))
			pictures++
		}
	}
	if len(list.Data) < 20 || pictures == 0 {
		t.Errorf("%d products and %d images, want more", len(list.Data), pictures)
	}

	for _, path := range []string{
		"/v2/products?q=food&per_page=50&with=variants", "/v2/store", "/v2/categories", "/v2/features",
		"/v2/variant-options", "/v2/stocks", "/v2/price-lists", "/v2/customer-groups", "/v2/customers?per_page=100",
		"/v2/orders?per_page=100", "/v2/feedback", "/v2/changes?since=1", "/v2/navigation", "/v2/feeds",
		"/v2/redirects", "/v2/search/synonyms", "/v2/search/pins", "/v2/resolve?path=/",
	} {
		r := s.Do("GET", path, nil)
		answers[path] = fmt.Sprint(r.Status, " ", string(r.Body))
	}
	for _, path := range []string{
		"/api/store/settings", "/api/store/keys", "/api/store/operators", "/api/store/events?per_page=100",
		"/api/store/webhook-receivers",
	} {
		r := s.DoAdmin("GET", path, nil)
		answers[path] = fmt.Sprint(r.Status, " ", string(r.Body))
	}

	for path, answer := range answers {
		answers[path] = passing.ReplaceAllString(answer, `"$1":""`)
	}
	return answers
}

// A shop moves from SQLite to PostgreSQL and back by the commands of docs/moving.md, and answers the same.
func TestStoreExport_movesAShopToPostgresAndBack(t *testing.T) {
	t.Parallel()
	databasetest.Require(t, database.Postgres)
	// The orders of the demo are older than the usual retention of events.
	settings := []string{"--public-url", shopAddress, "--event-retention", "8000h"}
	laptop := apitest.NewInstallation(t, database.SQLite)
	p, s := laptop.FirstRun(settings...)
	laptop.Run("demo", "--products", "40", "--pictures", "5", "--orders")
	s.OK(201, "POST", "/v2/price-lists", `{"name": "Dealers", "currency": "EUR"}`)
	r := s.DoAdmin("POST", "/api/store/webhook-receivers",
		map[string]any{"url": "https://hooks.example/", "webhook_types": []string{"feedback.submitted"}})
	if r.Status != 201 {
		t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
	}
	keys := s.Keys
	p.Signal(syscall.SIGTERM)
	p.Wait()

	p = laptop.Serve(settings...)
	want := movedAnswers(t, p.Server(keys))
	p.Signal(syscall.SIGTERM)
	p.Wait()

	passphrase := filepath.Join(t.TempDir(), "passphrase")
	apitest.WritePrivateFile(t, passphrase, []byte("correct horse battery\n"))
	from := laptop
	for _, engine := range []string{database.Postgres, database.SQLite} {
		archive := filepath.Join(t.TempDir(), "shop.tar")
		from.Run("store", "export", "--to", archive, "--passphrase-file", passphrase)
		from.WantFailure(1, []string{"exists already"}, "store", "export", "--to", archive)

		to := apitest.NewInstallation(t, engine)
		to.WantFailure(1, []string{"--passphrase-file"}, "store", "import", archive)
		to.Run("store", "import", archive, "--passphrase-file", passphrase)
		to.WantFailure(1, []string{"exists in this database already"}, "store", "import", archive,
			"--passphrase-file", passphrase)

		p := to.Serve(settings...)
		got := movedAnswers(t, p.Server(keys))
		for path := range want {
			if diff := cmp.Diff(want[path], got[path]); diff != "" {
				t.Errorf("%s: %s answers otherwise:\n%s", engine, path, diff)
			}
		}
		to.Run("check", "--event-retention", "8000h")
		p.Signal(syscall.SIGTERM)
		p.Wait()
		from = to
	}
}

// A server that runs on the target serves the store at once, and delivers what was waiting, each event once.
func TestStoreImport_goesOnInARunningServer(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		var mu sync.Mutex
		delivered := map[string]int{}
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			delivered[r.Header.Get("webhook-id")]++
		}))
		t.Cleanup(receiver.Close)

		const inquiries = 20
		const inquiry = `{"name": "Ann", "email": "ann@shop.example", "message": "Hello"}`
		settings := []string{"--allow-http", "--allow-net", "127.0.0.0/8"}
		source := apitest.NewInstallation(t, database.SQLite)
		p, s := source.FirstRun(append(settings, "--no-background")...)
		r := s.DoAdmin("POST", "/api/store/webhook-receivers",
			map[string]any{"url": receiver.URL, "webhook_types": []string{"feedback.submitted"}})
		if r.Status != 201 {
			t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
		}
		for range inquiries {
			s.OK(201, "POST", "/v2/feedback", inquiry)
		}
		p.Signal(syscall.SIGTERM)
		p.Wait()

		passphrase := filepath.Join(t.TempDir(), "passphrase")
		apitest.WritePrivateFile(t, passphrase, []byte("correct horse battery"))
		archive := filepath.Join(t.TempDir(), "shop.tar")
		source.Run("store", "export", "--to", archive, "--passphrase-file", passphrase)

		target, other := inst.FirstRun(settings...)
		inst.Run("store", "import", archive, "--passphrase-file", passphrase)
		moved := target.Server(s.Keys)
		if n := moved.Get("/v2/feedback").Text("meta.total"); n != strconv.Itoa(inquiries) {
			t.Errorf("%s inquiries, want %d", n, inquiries)
		}
		moved.OK(201, "POST", "/v2/feedback", inquiry)
		if n := other.Get("/v2/feedback").Text("meta.total"); n != "0" {
			t.Errorf("the other store has %s inquiries", n)
		}

		storetest.Eventually(t, "all events are delivered", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(delivered) == inquiries+1
		})

		// A shutdown waits for deliveries that have begun.
		target.Signal(syscall.SIGTERM)
		target.Wait()
		mu.Lock()
		defer mu.Unlock()
		for event, n := range delivered {
			if n != 1 {
				t.Errorf("the event %s was delivered %d times", event, n)
			}
		}
	})
}

// A store that moved elsewhere is removed while the server runs, which goes on with its other stores.
func TestStoreRemove_leavesTheServerAlone(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, s := inst.FirstRun()
		inst.Run("demo", "--products", "30", "--pictures", "3")
		s.OK(201, "POST", "/v2/orders", `{"items": []}`)
		s.Get("/v2/products?with=facets")
		created := apitest.ParseJSON[apitest.Provisioned](t, inst.Run("store", "create", "--name", "Other", "--json"))
		other := p.Server(created.Keys(t))
		other.OK(201, "POST", "/v2/products", `{"name": "Other"}`)

		storeID := s.StoreID.String()
		inst.WantFailure(1, []string{"My shop", "--yes"}, "store", "remove", storeID)
		inst.Run("store", "remove", storeID, "--yes")
		if r := s.Do("GET", "/v2/products", nil); r.Status != 401 {
			t.Errorf("a key of the removed store gets %d", r.Status)
		}
		if n := other.Get("/v2/products").Text("meta.total"); n != "1" {
			t.Errorf("the other store has %s products", n)
		}
		if list := inst.Run("store", "list"); strings.Contains(list, storeID) {
			t.Errorf("the stores are %s", list)
		}
		inst.Run("check")
		if lines := p.Stderr.WarningsAndErrors(); len(lines) > 0 {
			t.Errorf("the server logs %s", lines)
		}
	})
}

// The commands of docs/moving.md work. Each block begins with another empty target.
func TestMovingGuide_commandsWork(t *testing.T) {
	t.Parallel()
	databasetest.Require(t, database.Postgres)
	text, err := os.ReadFile("../../docs/moving.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := shellBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 4 {
		t.Fatalf("docs/moving.md has %d blocks of commands, want 4", len(blocks))
	}

	laptop, server := t.TempDir(), t.TempDir()
	// scp copies to the folder of the server, and serve does not wait for a signal.
	shell := `
vitrine() { if [ "$1" = serve ]; then echo served; else "$PROGRAM" "$@"; fi; }
scp() { cp "$1" "$2" "$SERVER"; }
set -e
`
	run := func(dir, script string) string {
		script = strings.NewReplacer("/var/lib/vitrine", filepath.Join(server, "data"),
			"postgres://vitrine@db.internal/vitrine", databasetest.NewURL(t, database.Postgres)).Replace(script)
		cmd := exec.Command("sh", "-c", shell+script)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PROGRAM=" + apitest.Program(t),
			"SERVER=" + server}
		output, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%v: %s", script, err, output)
		}
		return string(output)
	}

	run(laptop, "vitrine demo --products 30 --pictures 2")
	for i, dir := range []string{laptop, server, laptop, laptop} {
		output := run(dir, blocks[i][1])
		if i > 0 && !strings.Contains(output, "Imported the store My shop with ") {
			t.Errorf("block %d prints %s", i+1, output)
		}
		if strings.Contains(output, "left out") {
			t.Errorf("block %d loses secrets: %s", i+1, output)
		}
		_ = os.Remove(filepath.Join(laptop, "shop.tar"))
	}
}

// An import that is killed leaves no store, and can be repeated.
func TestStoreImport_leavesNothingWhenItIsKilled(t *testing.T) {
	t.Parallel()
	source := apitest.NewInstallation(t, database.SQLite)
	source.Run("demo", "--products", "200", "--pictures", "5")
	archive := filepath.Join(t.TempDir(), "shop.tar")
	source.Run("store", "export", "--to", archive)
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}

	sampledEngine(t, func(t *testing.T, inst *installation) {
		inst.Run("migrate")
		for _, part := range []int{4, 8, 9} { // tenths
			cmd := inst.Command("store", "import", "-")
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			p := apitest.Launch(t, cmd)
			if _, err := io.Copy(stdin, bytes.NewReader(content[:len(content)*part/10])); err != nil {
				t.Fatal(err)
			}
			p.Kill()
			if list := inst.Run("store", "list", "--json"); strings.TrimSpace(list) != "[]" {
				t.Fatalf("after a kill at %d tenths there are the stores %s", part, list)
			}
		}

		inst.Run("store", "import", archive)
		if list := inst.Run("store", "list"); strings.Count(list, "\n") != 2 {
			t.Errorf("the stores are %s", list)
		}
		inst.Run("check")
	})
}
