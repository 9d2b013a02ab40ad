package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// readLicences identifies the licence files of a directory and returns their texts, one after the other. It returns an
// error if it knows none of them.
func readLicences(directory string) (ids []string, text string, err error) {
	if directory == "" {
		return nil, "", errors.New("its source is not on this machine")
	}

	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, "", err
	}

	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		isLicence := strings.HasPrefix(name, "LICEN") || strings.HasPrefix(name, "COPYING")
		if e.IsDir() || !isLicence && name != "NOTICE" {
			continue
		}

		content, err := os.ReadFile(filepath.Join(directory, e.Name()))
		if err != nil {
			return nil, "", err
		}

		text += strings.TrimSpace(string(content)) + "\n"
		if isLicence {
			ids = append(ids, identifyLicences(string(content))...)
		}
	}

	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil, "", fmt.Errorf("no known licence in %s", directory)
	}

	return ids, text, nil
}

var notAlphanumeric = regexp.MustCompile(`[^a-z0-9]+`)

// identifyLicences returns the SPDX ids of the licences whose texts a file contains. Line breaks, punctuation and
// comment signs do not matter.
func identifyLicences(text string) (ids []string) {
	words := notAlphanumeric.ReplaceAllString(strings.ToLower(text), " ")
	has := func(phrase string) bool { return strings.Contains(words, phrase) }

	// choose adds one id if the file has the phrase, and the other one if it has the condition, too.
	choose := func(phrase, id, condition, otherID string) {
		switch {
		case has(phrase) && has(condition):
			ids = append(ids, otherID)
		case has(phrase):
			ids = append(ids, id)
		}
	}
	choose("permission is hereby granted free of charge", "MIT-0",
		"notice and this permission notice shall be included", "MIT")
	choose("permission to use copy modify and or distribute this software", "0BSD",
		"notice and this permission notice appear in all copies", "ISC")
	choose("redistribution and use in source and binary forms", "BSD-2-Clause", "neither the name", "BSD-3-Clause")

	if has("apache license version 2 0") {
		ids = append(ids, "Apache-2.0")
	}

	return ids
}

// licenceTexts returns the licences of all parts as one text, which the licences require to come with the program.
func licenceTexts(parts []component) string {
	var text strings.Builder
	fmt.Fprintln(&text, "Vitrine contains the following software. Each part comes with its licence.")
	for _, p := range parts {
		fmt.Fprintf(&text, "\n%s\n%s %s (%s)\n\n%s", strings.Repeat("=", 80), p.name, p.version,
			strings.Join(p.licences, ", "), p.text)
	}
	return text.String()
}
