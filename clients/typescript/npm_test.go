//go:build npm

package typescript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/client/tstype"
)

// generators is a folder with what npm installs, outside of the repository's files.
type generators struct {
	t   *testing.T
	dir string
}

// newGenerators copies clients/generators to .bin and installs its packages, unless they are there.
func newGenerators(t *testing.T) generators {
	t.Helper()
	dir, err := filepath.Abs("../../.bin/generators")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	g := generators{t, dir}
	const lock = "package-lock.json"
	wanted := g.readFile("../generators/" + lock)
	installed, _ := os.ReadFile(filepath.Join(dir, "installed-"+lock)) // absent at first

	files, err := filepath.Glob("../generators/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("the generators are %v: %v", files, err)
	}
	for _, name := range files {
		g.writeFile(filepath.Base(name), g.readFile(name))
	}

	if !bytes.Equal(installed, wanted) {
		g.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		g.writeFile("installed-"+lock, wanted)
	}

	return g
}

func (g generators) readFile(name string) []byte {
	g.t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		g.t.Fatal(err)
	}
	return text
}

func (g generators) writeFile(name string, text []byte) {
	g.t.Helper()
	name = filepath.Join(g.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// run runs a program in the folder, which must succeed, and returns its output.
func (g generators) run(program string, args ...string) string {
	g.t.Helper()
	command := exec.Command(program, args...)
	command.Dir = g.dir
	out, err := command.CombinedOutput()
	if err != nil {
		g.t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// tool runs a program that npm has installed.
func (g generators) tool(name string, args ...string) string {
	g.t.Helper()
	return g.run(filepath.Join(g.dir, "node_modules/.bin", name), args...)
}

// get reads an address of the server with the key of the environment.
func get(t *testing.T, env environment, path string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, env.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}

	req.Header.Set("Authorization", "Bearer "+env.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, resp.StatusCode, text, err)
	}
	return text
}

// shopAttributes are the features and options of the store, as vitrine types reads them.
func shopAttributes(t *testing.T, env environment) (features, options []tstype.Attribute) {
	t.Helper()
	api, err := tstype.NewAPI(env.URL, env.Key)
	if err != nil {
		t.Fatal(err)
	}
	features, options, err = tstype.Read(t.Context(), http.DefaultClient, api, tstype.ByName)
	if err != nil {
		t.Fatal(err)
	}
	return features, options
}

// The usual generators of OpenAPI clients make clients that compile with --strict and send filters rightly.
func TestGenerators_sendFiltersRightly(t *testing.T) {
	env := newShop(t)
	g := newGenerators(t)
	g.writeFile("openapi.json", get(t, env, "/openapi.json?dates=iso"))
	g.tool("openapi-typescript", "openapi.json", "-o", "generated/openapi.d.ts")
	g.tool("openapi-ts", "-i", "openapi.json", "-o", "generated/hey")
	g.tool("orval", "--input", "openapi.json", "--output", "generated/orval.ts", "--client", "fetch")
	g.tool("tsc", "-p", ".")

	features, options := shopAttributes(t, env)
	find := func(list []tstype.Attribute, name string) tstype.Attribute {
		return list[slices.IndexFunc(list, func(a tstype.Attribute) bool { return a.Name == name })]
	}
	value := func(a tstype.Attribute, name string) string {
		return a.Values[slices.IndexFunc(a.Values, func(v tstype.Value) bool { return v.Name == name })].ID
	}
	material, size := find(features, "Material"), find(options, "Size")
	ids, err := json.Marshal(map[string]string{"url": env.URL, "key": env.Key, "material": material.ID,
		"cotton": value(material, "Cotton"), "wool": value(material, "Wool"), "power": find(features, "Power, W").ID,
		"size": size.ID, "large": value(size, "L")})
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{"openapi-fetch", "hey-api", "orval"} {
		g.tool("esbuild", name+".ts", "--bundle", "--platform=node", "--format=esm", "--outfile=built/"+name+".mjs",
			"--log-level=error")
		if out := g.run("node", "built/"+name+".mjs", string(ids)); !strings.HasPrefix(out, "ok") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// strictConfig is the configuration for what uses the client.
const strictConfig = `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "nodenext",
	"moduleResolution": "nodenext", "noUncheckedIndexedAccess": true, "lib": ["es2022", "dom"], "types": []},
	"include": ["*.ts"]}`

// linkClient makes @vitrine/client known to what is compiled in the folder.
func (g generators) linkClient() {
	g.t.Helper()
	client, err := filepath.Abs(".")
	if err != nil {
		g.t.Fatal(err)
	}
	scope := filepath.Join(g.dir, "node_modules/@vitrine")
	if err := os.MkdirAll(scope, 0o700); err != nil {
		g.t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(scope, "client")) // of an earlier run
	if err := os.Symlink(client, filepath.Join(scope, "client")); err != nil {
		g.t.Fatal(err)
	}
}

// TypeScript checks the client against its declarations, and the examples of the README.
func TestClient_compiles(t *testing.T) {
	g := newGenerators(t)
	client, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	g.tool("tsc", "-p", client)

	g.linkClient()
	g.writeFile("readme/tsconfig.json", []byte(strictConfig))
	g.writeFile("readme/package.json", []byte(`{"type": "module"}`))
	g.writeFile("readme/readme.ts", []byte(readmeProgram(t)))
	attribute := func(name string, isRange bool, value string) []tstype.Attribute {
		return []tstype.Attribute{{Name: name, ID: "1", IsRange: isRange,
			Values: []tstype.Value{{Name: value, ID: "2"}}}}
	}
	features := append(attribute("Fabric", false, "wool"), attribute("Weight, kg", true, "1.5")...)
	g.writeFile("readme/store.ts", tstype.Store("the README", features, attribute("Size", false, "XL")))
	g.tool("tsc", "-p", "readme")
}

var codeBlock = regexp.MustCompile("(?s)```ts\n(.*?)```")

// readmeProgram returns the examples of the README as one module. The first one stands for all; each other one has a
// block of its own.
func readmeProgram(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := codeBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 10 {
		t.Fatalf("the README has %d examples", len(blocks))
	}

	imports := map[string]bool{}
	var head, body strings.Builder
	for i, block := range blocks {
		var rest strings.Builder
		for line := range strings.Lines(block[1]) {
			switch {
			case !strings.HasPrefix(line, "import "):
				rest.WriteString(line)
			case !imports[line]:
				imports[line] = true
				head.WriteString(line)
			}
		}

		if i == 0 {
			body.WriteString(rest.String())
		} else {
			fmt.Fprintf(&body, "{\n%s}\n", &rest)
		}
	}

	return head.String() + body.String()
}

// What vitrine types writes makes wrong names of features, values and options errors of the compiler.
func TestTypes_wrongNamesDoNotCompile(t *testing.T) {
	env := newShop(t)
	g := newGenerators(t)
	g.linkClient()
	features, options := shopAttributes(t, env)
	g.writeFile("names/tsconfig.json", []byte(strictConfig))
	g.writeFile("names/package.json", []byte(`{"type": "module"}`))
	g.writeFile("names/store.ts", tstype.Store(env.URL, features, options))

	const program = `import { createClient } from "@vitrine/client";
import { schema } from "./store.js";
const shop = createClient({ url: "", key: "", schema });
`
	list := func(filters string) string { return "await shop.products.list({ " + filters + " });\n" }
	lines := list(`features: { Material: ["Wool", "Cotton"], "Power, W": { from: 1 } }, options: { Size: ["S"] }`) +
		list(`features: { "Power, W": ["5"] }`) + list(`features: { Material: [] }`) + list(``)
	for _, wrong := range []string{`features: { Materail: ["Wool"] }`, `features: { Material: ["Silk"] }`,
		`features: { Material: { from: 1 } }`, `features: { Size: ["S"] }`, `options: { Size: ["XXL"] }`,
		`options: { Material: ["Wool"] }`, `options: { Size: { to: 3 } }`} {
		lines += "// @ts-expect-error\n" + list(wrong) // tsc fails if the line compiles
	}
	g.writeFile("names/names.ts", []byte(program+lines))
	g.tool("tsc", "-p", "names")
}
