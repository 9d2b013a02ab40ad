package main

import (
	"context"
	"os"

	"vitrine/internal/client/tstype"
)

type typesCommand struct {
	URL string `name:"url" help:"Address of the store's API." default:"http://localhost:8080" env:"VITRINE_URL,VITRINE_TO" placeholder:"URL"`
	Key string `help:"Publishable key of the store, or a secret one. Better set as VITRINE_KEY." required:"" env:"VITRINE_KEY" placeholder:"pk_…"`
	By  string `help:"What features, options and values are called: name, or external-id, the id in the system that pushes them; what has none is called by its name." enum:"name,external-id" default:"name" env:"-"`
	Out string `help:"The file to write; standard output by default." env:"-" placeholder:"FILE"`
}

// Help returns the text that --help prints in addition to the flags.
func (*typesCommand) Help() string {
	return `Writes the filterable features and the options of a store, with their values, as a TypeScript module. createClient of @vitrine/client takes it as schema: filters are then written by name, and a wrong name is a compile error.

clients/typescript/README.md has an example.`
}

func (c *typesCommand) Run(ctx context.Context, o output) error {
	api, err := tstype.NewAPI(c.URL, c.Key)
	if err != nil {
		return withFaultMessageOnly(err)
	}
	features, options, err := tstype.Read(ctx, newAPIClient(), api, tstype.Name(c.By))
	if err != nil {
		return err
	}

	text := tstype.Store(api.String(), features, options)
	if c.Out == "" {
		_, err := o.out.Write(text)
		return err
	}
	return os.WriteFile(c.Out, text, 0o644) //nolint:gosec // a source file, without secrets
}
