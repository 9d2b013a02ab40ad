package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// referenceCommand prints docs/reference.md; make docs runs it.
type referenceCommand struct{}

func (referenceCommand) Run(o output) error {
	parser, err := newParser()
	if err != nil {
		return err
	}
	return writeReference(o.out, parser.Model)
}

// writeReference writes every command with its arguments and flags as Markdown.
func writeReference(w io.Writer, model *kong.Application) error {
	var text strings.Builder

	text.WriteString(`# Reference of commands and settings

<!-- Generated from the program by make docs. Change the texts in internal/kit/config or cmd/vitrine. -->

Each flag can also be given as its variable, or in the JSON file of ` + "`--config`" + ` under its name. Flags take
precedence over variables, and variables over the file. [configuration.md](configuration.md) explains the most important
ones.

## All commands

`)

	writeFlags(&text, model.Flags)

	for _, leaf := range model.Leaves(true) {
		fmt.Fprintf(&text, "\n## %s\n\n%s\n", leaf.Path(), leaf.Help)
		if leaf.Detail != "" {
			fmt.Fprintf(&text, "\n%s\n", leaf.Detail)
		}

		if len(leaf.Positional) > 0 {
			text.WriteString("\n| argument | meaning |\n|---|---|\n")
			for _, a := range leaf.Positional {
				fmt.Fprintf(&text, "| `%s` | %s |\n", strings.Trim(a.Summary(), "<>[]"), cell(a.Help))
			}
		}

		var flags []*kong.Flag
		for n := leaf; n != nil && n != model.Node; n = n.Parent {
			flags = append(flags, n.Flags...)
		}

		if len(flags) > 0 {
			text.WriteString("\n")
			writeFlags(&text, flags)
		}
	}

	_, err := io.WriteString(w, text.String())
	return err
}

// writeFlags writes a table of flags, sorted by name. Hidden flags are part of it: they are hidden only because their
// values are secret and belong into the environment.
func writeFlags(w io.Writer, flags []*kong.Flag) {
	fmt.Fprint(w, "| flag | variable | default | meaning |\n|---|---|---|---|\n")

	for _, f := range slices.SortedFunc(slices.Values(flags),
		func(a, b *kong.Flag) int { return strings.Compare(a.Name, b.Name) }) {
		if f.Name == "help" {
			continue
		}

		name := "--" + f.Name
		if f.PlaceHolder != "" {
			name += "=" + f.PlaceHolder
		}

		variables, value := "", ""
		if len(f.Envs) > 0 {
			variables = "`" + strings.Join(f.Envs, "`, `") + "`"
		}

		// A negative default means that there is none; the help describes what happens then.
		if f.Default != "" && !strings.HasPrefix(f.Default, "-") {
			value = "`" + f.Default + "`"
		}

		help := f.Help
		if f.Enum != "" && !strings.Contains(strings.ReplaceAll(help, " or ", ", "),
			strings.ReplaceAll(f.Enum, ",", ", ")) {
			help += " One of " + strings.ReplaceAll(f.Enum, ",", ", ") + "."
		}

		if f.Required {
			help += " Required."
		}

		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", cell(name), variables, value, cell(help))
	}
}

// cell returns a text that can stand in a table of Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

// forEachFlag calls fn with all flags of a command and of the commands below it.
func forEachFlag(n *kong.Node, fn func(*kong.Flag)) {
	for _, f := range n.Flags {
		fn(f)
	}
	for _, child := range n.Children {
		forEachFlag(child, fn)
	}
}
