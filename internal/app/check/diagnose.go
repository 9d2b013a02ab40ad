package check

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"

	"vitrine/internal/app"
	"vitrine/internal/app/profile"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/imagefile"
)

// diagnoseStepTimeout is how long one part of a bundle may take. Counting the rows of large tables takes longest.
const diagnoseStepTimeout = 30 * time.Second

// DiagnosePromise says what a bundle does not contain. A test searches bundles for all of it.
const DiagnosePromise = "It contains no secrets and no personal data: no keys, tokens or passwords, no URLs of\n" +
	"databases or receivers, and of a store only counts and words of the program."

// Setting is a setting that differs from its default, for a diagnostics bundle.
type Setting struct {
	Name string `json:"name"`
	// Value is set only for a setting that is known to be harmless.
	Value string `json:"value,omitzero"`
}

// DiagnoseOptions are the parameters of Diagnose.
type DiagnoseOptions struct {
	Version  string
	Settings []Setting
	// Ask returns the body of a response of the running server: of /readyz also with 503, of others with 200.
	Ask func(ctx context.Context, path string) ([]byte, error)
}

// DiagnosedPart is a part of a diagnostics bundle: a file. Err is why the file is missing. It is for the terminal: it
// may contain names and addresses, and is not written to the bundle.
type DiagnosedPart struct {
	File, Content string
	Err           error
}

// diagnosis collects the parts of a bundle.
type diagnosis struct {
	cfg     config.Storage
	images  config.Files
	options DiagnoseOptions
	db      *database.DB
	dbErr   error
}

// Diagnose writes a gzipped tar file with what helps to find the cause of a problem, and returns its parts. Each part
// is built from values that are known to be harmless, so that the bundle has no secrets and no personal data. A part
// that fails does not fail the others.
func Diagnose(
	ctx context.Context, cfg config.Storage, images config.Files, options DiagnoseOptions, w io.Writer,
	log *slog.Logger,
) ([]DiagnosedPart, error) {
	d := &diagnosis{cfg: cfg, images: images, options: options}
	d.db, d.dbErr = openUnmigrated(ctx, cfg, log)
	if d.db != nil {
		defer func() { _ = d.db.Close() }() // it was only read
	}

	compressed := gzip.NewWriter(w)
	bundle := tar.NewWriter(compressed)
	now := time.Now()

	add := func(name string, content []byte) error {
		err := bundle.WriteHeader(&tar.Header{Name: "vitrine-diagnose/" + name, Mode: 0o600, Size: int64(len(content)),
			ModTime: now, Typeflag: tar.TypeReg})
		if err != nil {
			return err
		}
		_, err = bundle.Write(content)
		return err
	}

	var parts []DiagnosedPart
	for _, step := range d.steps() {
		content, err := runStep(ctx, step.collect)
		if ctx.Err() != nil {
			return nil, ctx.Err() // the user interrupted the command
		}

		parts = append(parts, DiagnosedPart{File: step.file, Content: step.content, Err: err})
		if err != nil {
			continue
		}
		if err := add(step.file, content); err != nil {
			return nil, err
		}
	}

	if err := add("README.txt", []byte(diagnoseReadme(parts, options.Version, now))); err != nil {
		return nil, err
	}

	return parts, errors.Join(bundle.Close(), compressed.Close())
}

func diagnoseReadme(parts []DiagnosedPart, version string, now time.Time) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Diagnostics of vitrine %s, %s.\n\n%s\n\n", version, now.UTC().Format(time.RFC3339),
		DiagnosePromise)
	for _, p := range parts {
		state := ""
		if p.Err != nil {
			state = " (missing: it could not be read)"
		}
		fmt.Fprintf(&text, "%-20s %s%s\n", p.File, p.Content, state)
	}
	return text.String()
}

// openUnmigrated opens the database without migrating it. It creates no SQLite file.
func openUnmigrated(ctx context.Context, cfg config.Storage, log *slog.Logger) (*database.DB, error) {
	if err := app.RequireDatabase(cfg); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, diagnoseStepTimeout)
	defer cancel()
	return database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Readers: 1, Log: log})
}

// diagnoseStep makes one file of a bundle. collect returns bytes, or a value that is written as JSON.
type diagnoseStep struct {
	file, content string
	collect       func(context.Context) (any, error)
}

func (d *diagnosis) steps() []diagnoseStep {
	return []diagnoseStep{
		{"version.json", "the version of the program, and how it was built", d.version},
		{"settings.json", "the names of settings that differ from their defaults, with harmless values", d.settings},
		{"system.json", "operating system, processors, memory, disk", d.system},
		{"files.json", "sizes of the files in the data directory", d.files},
		{"images.json", "where the images are, and whether that is the image storage of the database", d.imageStorage},
		{"schema.json", "the version of the schema, and pending migrations", d.schema},
		{"rows.json", "the number of rows of each table", d.rows},
		{"jobs.json", "the number of background jobs by kind", d.states(countJobs)},
		{"parked.json", "the number of parked jobs by kind: processes died while they ran them",
			d.states(countParkedJobs)},
		{"runs.json", "the number of runs of the exchange by status and error code", d.states(countRuns)},
		{"deliveries.json", "the number of webhook deliveries by status and HTTP status", d.states(countDeliveries)},
		{"attempts.json", "the number of webhook attempts by the phase that failed and HTTP status",
			d.states(countAttempts)},
		{"integrity.json", "a quick check of the SQLite file", d.integrity},
		{"readyz.json", "/readyz of the running server", d.response("/readyz")},
		{"readyz-write.json", "/readyz/write of the running server", d.response("/readyz/write")},
		{"metrics.txt", "/metrics of the running server", d.response("/metrics")},
		{"goroutines.txt", "what the goroutines of the running server do",
			d.response(profile.Path + "/goroutine?debug=1")},
		{"heap.pprof", "the heap profile of the running server", d.response(profile.Path + "/heap")},
	}
}

func runStep(ctx context.Context, collect func(context.Context) (any, error)) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, diagnoseStepTimeout)
	defer cancel()
	value, err := collect(ctx)
	if err != nil {
		return nil, err
	}
	if content, ok := value.([]byte); ok {
		return content, nil
	}
	content, err := json.Marshal(value, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(content, '\n'), err
}

// version has the modules of the build and their versions. Of the settings of the build it has only those listed: the
// flags of the linker may contain anything.
func (d *diagnosis) version(context.Context) (any, error) {
	modules, build := map[string]string{}, map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			modules[m.Path] = m.Version
		}

		for _, s := range info.Settings {
			switch s.Key {
			case "CGO_ENABLED", "GOARCH", "GOOS", "GOAMD64", "GOARM64", "-race", "-trimpath", "vcs.revision",
				"vcs.modified",
				"vcs.time":
				build[s.Key] = s.Value
			}
		}
	}

	return map[string]any{"version": d.options.Version, "go": runtime.Version(), "build": build, "modules": modules},
		nil
}

func (d *diagnosis) settings(context.Context) (any, error) { return d.options.Settings, nil }

// system leaves out the name of the host, which Uname returns, too.
func (d *diagnosis) system(context.Context) (any, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil, err
	}
	result := map[string]any{"os": runtime.GOOS, "architecture": runtime.GOARCH, "processors": runtime.NumCPU(),
		"gomaxprocs": runtime.GOMAXPROCS(0), "kernel": unix.ByteSliceToString(name.Release[:]),
		"default_memory_bytes": memory.DefaultLimit(os.DirFS("/"))}
	var disk unix.Statfs_t
	if err := unix.Statfs(d.cfg.Data, &disk); err == nil {
		size := int64(disk.Bsize) //nolint:unconvert // a uint32 on macOS, a uint64 on FreeBSD
		result["disk"] = map[string]any{"bytes": int64(disk.Blocks) * size, "free_bytes": app.FreeBytes(d.cfg.Data),
			"files": disk.Files, "free_files": disk.Ffree}
	}
	return result, nil
}

// fileSize is the size of a file, or of all files in a directory.
type fileSize struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// files adds up the files of the data directory. Only names that the program itself gives are shown; all other files
// count as other.
func (d *diagnosis) files(ctx context.Context) (any, error) {
	known := map[string]bool{"vitrine.db": true, "vitrine.db-wal": true, "vitrine.db-shm": true,
		"vitrine.db-lock":    true,
		"vitrine.db-migrate": true, "secret.key": true, "first-run.json": true, "blobs": true, "spool": true,
		"search": true, "postgres-timeline": true}
	sizes := map[string]fileSize{}

	err := filepath.WalkDir(d.cfg.Data, func(path string, e fs.DirEntry, err error) error {
		if err := errors.Join(ctx.Err(), err); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a temporary file that is gone by now
			}
			return err
		}

		info, err := e.Info()
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // a temporary file that is gone by now
		}
		relative, err := filepath.Rel(d.cfg.Data, path)
		if err != nil {
			return err
		}

		name, _, _ := strings.Cut(filepath.ToSlash(relative), "/")
		if !known[name] {
			name = "other"
		}

		sum := sizes[name]
		sizes[name] = fileSize{sum.Files + 1, sum.Bytes + info.Size()}
		return nil
	})

	return sizes, err
}

// imageStorage says nothing of the name of the storage. It creates no folder.
func (d *diagnosis) imageStorage(ctx context.Context) (any, error) {
	folder, onDisk, err := blob.Config{URL: d.images.BlobURL(d.cfg)}.Folder()
	if err != nil {
		return nil, err
	}

	result := map[string]string{"place": "bucket"}
	if onDisk {
		result["place"] = "folder"
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			result["storage"] = "missing"
			return result, nil
		}
	}

	if d.dbErr != nil {
		return nil, d.dbErr
	}

	blobs, err := app.OpenBlobs(ctx, d.cfg, d.images)
	if err != nil {
		result["storage"] = "unavailable"
		return result, nil //nolint:nilerr // the error has the name of the storage
	}

	state, err := imagefile.FindStorageState(ctx, d.db, blobs)
	if result["storage"] = string(state); fault.KindOf(err) == fault.Unavailable {
		result["storage"] = "unavailable"
		err = nil
	}

	return result, errors.Join(err, blobs.Close())
}

func (d *diagnosis) schema(ctx context.Context) (any, error) {
	if d.dbErr != nil {
		return nil, d.dbErr
	}
	status, err := d.db.SchemaStatus(ctx)
	status.Nodes = []string{} // they have names of hosts
	return map[string]any{"engine": d.db.Engine(), "schema": status}, err
}

func (d *diagnosis) rows(ctx context.Context) (any, error) {
	if d.dbErr != nil {
		return nil, d.dbErr
	}
	return d.db.CountRows(ctx)
}

func (d *diagnosis) states(
	count func(context.Context, *database.DB) ([]stateCount, error),
) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		if d.dbErr != nil {
			return nil, d.dbErr
		}
		return count(ctx, d.db)
	}
}

// integrity says only whether the file is damaged: the message names its path.
func (d *diagnosis) integrity(ctx context.Context) (any, error) {
	if d.dbErr != nil {
		return nil, d.dbErr
	}
	if d.db.Engine() != database.SQLite {
		return map[string]string{"quick_check": "not for PostgreSQL"}, nil
	}
	err := d.db.QuickCheck(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	state := "ok"
	if err != nil {
		state = "damaged"
	}
	return map[string]string{"quick_check": state}, nil
}

// response asks the running server for the path.
func (d *diagnosis) response(path string) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) { return d.options.Ask(ctx, path) }
}
