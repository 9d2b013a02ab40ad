package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// frontEndPart is a package of npm of which the program contains files.
type frontEndPart struct {
	name, version string
	// folder has the files; its README.md says where they come from.
	folder  string
	files   []string
	licence string // the file with the licence
}

const (
	adminAssets = "internal/api/adminui/frame/assets"
	docsAssets  = "internal/api/httpapi/openapi/assets"
)

// frontEndParts are the files of others in the pages. A test compares the versions with the README.md of their folders.
var frontEndParts = []frontEndPart{
	{name: "htmx.org", version: "2.0.11", folder: adminAssets, files: []string{"htmx.js"}, licence: "htmx.LICENSE.txt"},
	{name: "basecoat-css", version: "1.0.2", folder: adminAssets, files: []string{"basecoat.css"},
		licence: "basecoat.LICENSE.txt"},
	{name: "tailwindcss", version: "4.3.1", folder: adminAssets, files: []string{"basecoat.css"},
		licence: "basecoat.LICENSE.txt"},
	{name: "uplot", version: "1.6.32", folder: adminAssets, files: []string{"uplot.js", "uplot.css"},
		licence: "uplot.LICENSE.txt"},
	{name: "lucide-static", version: "1.62.0", folder: adminAssets, files: []string{"../icons"},
		licence: "lucide.LICENSE.txt"},
	{name: "rapidoc", version: "9.3.8", folder: docsAssets, files: []string{"rapidoc.js.gz"},
		licence: "rapidoc-license.txt"},
}

// frontEndComponents returns the parts of the pages. root is the folder of the module.
func frontEndComponents(root string) ([]component, error) {
	all := make([]component, 0, len(frontEndParts))
	for _, p := range frontEndParts {
		for _, f := range p.files {
			if _, err := os.Stat(filepath.Join(root, p.folder, f)); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}

		text, err := os.ReadFile(filepath.Join(root, p.folder, p.licence))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		ids := identifyLicences(string(text))
		if len(ids) == 0 {
			return nil, fmt.Errorf("%s: no known licence in %s", p.name, path.Join(p.folder, p.licence))
		}

		all = append(all, component{name: p.name, version: p.version, licences: ids, text: string(text),
			url: "pkg:npm/" + strings.ReplaceAll(p.name, "@", "%40") + "@" + p.version})
	}

	return all, nil
}
