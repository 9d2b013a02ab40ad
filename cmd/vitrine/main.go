// Vitrine is a store backend in one binary. This is its command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/productfield"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal, restore the default behaviour: the second signal ends the process.
	context.AfterFunc(ctx, stop)
	os.Exit(runCommandLine(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

type commands struct {
	Config kong.ConfigFlag `help:"A JSON file with settings; flags and VITRINE_… variables take precedence." placeholder:"FILE"`
	// ShowVersion has no variable: VITRINE_VERSION often names the version to deploy.
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version." env:"-"`

	Serve   serveCommand   `cmd:"" help:"Create the data directory and the first store, migrate the database, and serve."`
	Migrate migrateCommand `cmd:"" help:"Migrate the database to the schema of this version."`
	Store   struct {
		Create storeCreateCommand `cmd:"" help:"Create a store with an owner and one key of each kind."`
		List   storeListCommand   `cmd:"" help:"List the stores."`
		Export storeExportCommand `cmd:"" help:"Write a whole store to one archive: catalogue, images, customers, orders, keys, settings; also while a server runs."`
		Import storeImportCommand `cmd:"" help:"Create a store with all that an archive of vitrine store export has, on SQLite or PostgreSQL."`
		Remove storeRemoveCommand `cmd:"" help:"Remove a store with all that it has, such as one that moved elsewhere; also while a server runs."`
	} `cmd:"" help:"Stores."`
	Key struct {
		Create keyCreateCommand `cmd:"" help:"Create a key or an exchange token; it is shown once."`
		List   keyListCommand   `cmd:"" help:"List the keys of a store, with their last use."`
		Rotate keyRotateCommand `cmd:"" help:"Replace a key by a new one; the old one stays valid for a while."`
		Revoke keyRevokeCommand `cmd:"" help:"Revoke a key at once."`
	} `cmd:"" help:"Keys and exchange tokens."`
	Admin struct {
		Create        adminCreateCommand        `cmd:"" help:"Create an operator."`
		List          adminListCommand          `cmd:"" help:"List the operators of a store."`
		Invite        adminInviteCommand        `cmd:"" help:"Create an operator who chooses the password on a page; prints the link."`
		SetRole       adminSetRoleCommand       `cmd:"" help:"Change the role of an operator."`
		Disable       adminDisableCommand       `cmd:"" help:"Keep an operator from signing in and end their sessions."`
		Enable        adminEnableCommand        `cmd:"" help:"Let a disabled operator sign in again."`
		Remove        adminRemoveCommand        `cmd:"" help:"Remove an operator and end their sessions."`
		ResetPassword adminResetPasswordCommand `cmd:"" help:"Set a new password for an operator and end their sessions."`
		ChangeEmail   adminChangeEmailCommand   `cmd:"" help:"Make a link that gives an operator another e-mail address."`
	} `cmd:"" help:"Operators of the store administration."`
	Customer struct {
		Erase  customerEraseCommand  `cmd:"" help:"Erase a person: profile, login, carts, inquiries, messages, and the personal data in orders and events."`
		Export customerExportCommand `cmd:"" help:"Print all that a store has about a person, as JSON."`
	} `cmd:"" help:"The data of people: customers and guests."`
	Jobs struct {
		List    jobsListCommand    `cmd:"" help:"List the jobs that were set aside, because processes died while they ran them."`
		Retry   jobsRetryCommand   `cmd:"" help:"Try jobs again that were set aside; also while a server runs."`
		Discard jobsDiscardCommand `cmd:"" help:"Give up jobs that were set aside."`
	} `cmd:"" help:"Background jobs that were set aside (parked)."`
	Secret struct {
		Rotate secretRotateCommand `cmd:"" help:"Replace the secret key, and encrypt all secrets in the database with the new one."`
		Reset  secretResetCommand  `cmd:"" help:"After the secret key was lost: give up the secrets in the database, so that servers start again."`
	} `cmd:"" help:"The key that encrypts secrets in the database: secret.key, or VITRINE_SECRET_KEY."`
	Search  searchCommand  `cmd:"" help:"Search a store as people do, and say why each product stands where it stands."`
	Health  healthCommand  `cmd:"" help:"Ask the server on this machine whether it is ready; for health checks of containers."`
	Env     envCommand     `cmd:"" help:"Print the keys and addresses of the first store as shell variables."`
	Push    pushCommand    `cmd:"" help:"Push a file to a store's exchange gate: products, prices and what they refer to."`
	Export  exportCommand  `cmd:"" help:"Export an entity of a store to a file, in the form in which it is pushed."`
	Copy    copyCommand    `cmd:"" help:"Copy the catalogue of one store to another."`
	Listen  listenCommand  `cmd:"" help:"Receive a store's webhooks on this machine, verify and print them."`
	Types   typesCommand   `cmd:"" help:"Print the features and options of a store as TypeScript, for the client in clients/typescript."`
	OneC    onecCommand    `cmd:"" name:"1c" help:"Exchange with a site as 1C does, to try it out: a catalogue in, orders out."`
	Demo    demoCommand    `cmd:"" help:"Fill a store with a generated catalogue of any size."`
	Backup  backupCommand  `cmd:"" help:"Copy the SQLite database and the images to a directory or a bucket; also while a server runs."`
	Restore restoreCommand `cmd:"" help:"Replace the SQLite database by that of a backup, and add its images."`
	Blob    struct {
		Copy   blobCopyCommand   `cmd:"" help:"Copy the images to another folder or bucket, also while a server runs; vitrine blob accept then makes it the image storage."`
		Accept blobAcceptCommand `cmd:"" help:"Make --blob the image storage of the database, after the images were moved there or the former storage was lost."`
	} `cmd:"" help:"The image storage: the folder or bucket of --blob."`
	Check    checkCommand    `cmd:"" help:"Look for damage of the database, rows that break the rules of the shop, and image files that are missing or orphaned; also while a server runs."`
	Diagnose diagnoseCommand `cmd:"" help:"Write a file to attach to the report of a problem: versions, settings, counts and metrics, no secrets and no personal data."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	Reference referenceCommand `cmd:"" hidden:"" help:"Print the reference of commands and settings as Markdown."`
}

// output has the writers of a command: out for results, err for everything else.
type output struct{ out, err io.Writer }

// runCommandLine runs one command and returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command
// line, or the value of an exitCode error. Without arguments it prints the help.
func runCommandLine(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		args = []string{"--help"}
	}

	exit := -1
	parser, err := newParser(kong.Writers(stdout, stderr), kong.Exit(func(code int) { exit = code }),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(output{stdout, stderr}))
	if err != nil {
		fmt.Fprintln(stderr, "vitrine:", err)
		return 2
	}

	parsed, err := parser.Parse(args)
	if exit >= 0 {
		return exit // --help or --version was given
	}

	if err != nil {
		fmt.Fprintln(stderr, "vitrine:", err)
		fmt.Fprintln(stderr, "Run vitrine --help for the commands and their flags.")
		return 2
	}

	err = parsed.Run()
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}

	printError(stderr, err)
	return 1
}

// newParser returns a parser of the command line.
func newParser(options ...kong.Option) (*kong.Kong, error) {
	return kong.New(&commands{}, append([]kong.Option{
		kong.Name("vitrine"), kong.Description("A store backend: catalogue in, JSON API out."), kong.UsageOnError(),
		kong.ValueFormatter(helpText), kong.Vars{"version": "vitrine " + version, "members": productfield.All.String()},
		kong.DefaultEnvars("VITRINE"), kong.Configuration(configFileResolver),
	}, options...)...)
}

// helpText returns the help of a flag or an argument with its default and its environment variables. A negative default
// means that there is none; the help describes what happens then.
func helpText(v *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(v)
	if v.Tag.Default == "" || strings.HasPrefix(v.Tag.Default, "-") {
		return text
	}
	return text + " Default: " + v.Tag.Default + "."
}

// withFaultMessageOnly returns an error with only the message of a fault. It returns other errors unchanged.
func withFaultMessageOnly(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return errors.New(f.Message)
	}
	return err
}

// printError prints an error. Of a fault it prints the message, the fields and the cause.
func printError(w io.Writer, err error) {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		fmt.Fprintln(w, "vitrine:", err)
		return
	}
	fmt.Fprintln(w, "vitrine:", f.Message)
	for _, field := range f.Fields {
		fmt.Fprintf(w, "  %s: %s\n", field.Field, field.Message)
	}
	if f.Cause != nil {
		fmt.Fprintln(w, "  cause:", f.Cause)
	}
}

// configFileResolver reads the file of --config. A setting in the environment takes precedence over the file.
func configFileResolver(r io.Reader) (kong.Resolver, error) {
	file, err := kong.JSON(r)
	if err != nil {
		return nil, err
	}
	return kong.ResolverFunc(func(c *kong.Context, parent *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if _, set := os.LookupEnv(name); set {
				return nil, nil
			}
		}
		return file.Resolve(c, parent, flag)
	}), nil
}
