package page_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	"github.com/chromedp/chromedp"

	"vitrine/internal/demo/page"
)

// faultyAPI is an API with the paths /v2/CASE/N. Its first N responses to a path are faulty in the way that CASE names,
// such as empty or cut. Later responses are correct.
type faultyAPI struct {
	mu       sync.Mutex
	attempts map[string][]string // by method and path: the Idempotency-Key and the body of each attempt
}

func (a *faultyAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()

	name := r.Method + " " + r.URL.Path
	a.attempts[name] = append(a.attempts[name], r.Header.Get("Idempotency-Key")+string(body))
	times := 0
	if _, err := fmt.Sscanf(r.PathValue("times"), "%d", &times); err != nil {
		panic(err)
	}

	switch {
	case len(a.attempts[name]) > times && r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case len(a.attempts[name]) > times:
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"data":"done"}`)
	case r.PathValue("case") == "none":
		w.WriteHeader(http.StatusNoContent)
	case r.PathValue("case") == "page":
		fmt.Fprint(w, "<!doctype html><h1>Welcome</h1>")
	case r.PathValue("case") == "cut":
		fmt.Fprint(w, `{"data":"do`)
	}
}

// requestScript sends all requests at once and returns the result of each as text: the data of its response,
// "undefined" if call returned undefined, or "problem" and the status if it failed.
const requestScript = `import("/api.js").then(({ call, postOnce }) => Promise.all(%s.map(([method, path]) =>
	(method === "POST" ? postOnce(path, { a: 1 }) : call(method, path))
		.then((answer) => answer === undefined ? "undefined" : answer.data, (problem) => "problem " + problem.status))))`

// rejectsEmptyResponses checks that 2xx responses without the expected content do not count as a success. The page
// sends a GET at most three times, a POST at most four times with the same key, and other methods once.
func (b *browser) rejectsEmptyResponses() {
	api := &faultyAPI{attempts: map[string][]string{}}
	mux := http.NewServeMux()
	mux.Handle("/v2/{case}/{times}", api)
	mux.Handle("/", http.FileServerFS(page.Files))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><meta name="vitrine-api" content=""><link rel="icon" href="data:,">`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	b.run(chromedp.Navigate(server.URL))

	cases := []struct {
		method, path, want string
		attempts           int
	}{
		{"GET", "/v2/empty/1", "done", 2},
		{"GET", "/v2/none/1", "done", 2},
		{"GET", "/v2/page/1", "done", 2},
		{"GET", "/v2/cut/2", "done", 3},
		{"GET", "/v2/empty/9", "problem 0", 3},
		{"POST", "/v2/empty/1", "done", 2},
		{"POST", "/v2/none/2", "done", 3},
		{"POST", "/v2/page/9", "problem 0", 4},
		{"PUT", "/v2/empty/9", "problem 0", 1},
		{"DELETE", "/v2/empty/0", "undefined", 1},
		{"DELETE", "/v2/empty/9", "problem 0", 1},
		{"DELETE", "/v2/cut/9", "problem 0", 1},
	}

	requests := "["
	for _, c := range cases {
		requests += fmt.Sprintf("[%q, %q],", c.method, c.path)
	}

	sent := chromedp.Evaluate[[]string](fmt.Sprintf(requestScript, requests+"]"), chromedp.EvalAwaitPromise)
	got, err := chromedp.Run(b.ctx, sent)
	if err != nil || len(got) != len(cases) {
		b.t.Fatalf("%d of %d requests have a result: %v", len(got), len(cases), err)
	}

	for i, c := range cases {
		attempts := api.attempts[c.method+" "+c.path]
		if got[i] != c.want || len(attempts) != c.attempts {
			b.t.Errorf("%s %s returned %q after %d attempts, want %q after %d",
				c.method, c.path, got[i], len(attempts), c.want, c.attempts)
		}
		if len(slices.Compact(attempts)) != 1 {
			b.t.Errorf("the attempts of %s %s differ in their key or body: %q", c.method, c.path, attempts)
		}
	}
}
