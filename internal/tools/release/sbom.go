package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// The types below are the part of CycloneDX 1.6 that a release uses: https://cyclonedx.org/docs/1.6/json/.
type (
	bom struct {
		Format       string          `json:"bomFormat"`
		SpecVersion  string          `json:"specVersion"`
		Serial       string          `json:"serialNumber"`
		Version      int             `json:"version"`
		Metadata     bomMetadata     `json:"metadata"`
		Components   []bomComponent  `json:"components"`
		Dependencies []bomDependency `json:"dependencies"`
	}
	bomMetadata struct {
		Time      time.Time    `json:"timestamp"`
		Component bomComponent `json:"component"`
	}
	bomComponent struct {
		Type       string        `json:"type"`
		Ref        string        `json:"bom-ref"`
		Name       string        `json:"name"`
		Version    string        `json:"version"`
		Hashes     []bomHash     `json:"hashes,omitempty"`
		Licences   []bomLicence  `json:"licenses"`
		CPE        string        `json:"cpe,omitempty"`
		URL        string        `json:"purl"`
		Properties []bomProperty `json:"properties,omitempty"`
	}
	bomHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	bomLicence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	bomProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	bomDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// newBOM describes a program and its parts. The serial number is derived from the content, so that the same program has
// the same description.
func newBOM(version string, made time.Time, program string, parts []component) (bom, error) {
	sum, err := fileSHA256(program)
	if err != nil {
		return bom{}, err
	}

	main := bomComponent{Type: "application", Ref: goURL("vitrine", version), Name: "vitrine", Version: version,
		URL: goURL("vitrine", version), Hashes: []bomHash{{Algorithm: "SHA-256", Content: sum}},
		Licences: bomLicences([]string{"Apache-2.0"})}
	b := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: bomMetadata{Time: made, Component: main}}
	needs := bomDependency{Ref: main.Ref}
	for _, p := range parts {
		c := bomComponent{Type: "library", Ref: p.url, Name: p.name, Version: p.version, URL: p.url, CPE: p.cpe,
			Licences: bomLicences(p.licences)}
		if p.sum != "" {
			c.Properties = []bomProperty{{Name: "vitrine:go.sum", Value: p.sum}}
		}
		b.Components = append(b.Components, c)
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}

	b.Dependencies = []bomDependency{needs}
	text, err := b.encode()
	if err != nil {
		return bom{}, err
	}

	b.Serial = uuid.NewHash(sha256.New(), uuid.NameSpaceURL, text, 8).URN()
	return b, nil
}

func bomLicences(ids []string) (all []bomLicence) {
	for _, id := range ids {
		var l bomLicence
		l.Licence.ID = id
		all = append(all, l)
	}
	return all
}

func (b bom) encode() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(b)
	return text.Bytes(), err
}
