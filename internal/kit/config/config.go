// Package config defines the settings of the commands. Each setting has a flag, a VITRINE_… environment variable and
// a help text. Flags take precedence over the environment, and the environment over the file given with --config.
package config

import (
	"path/filepath"
	"time"

	"vitrine/internal/kit/memory"
)

// Storage holds the settings of commands that open the database.
type Storage struct {
	Data            string `help:"Directory of the SQLite file, the secret key and spooled bodies." default:"vitrine-data" type:"path" placeholder:"DIR"`
	Database        string `help:"postgres://… address, or a SQLite file; by default vitrine.db in --data." placeholder:"URL"`
	ListenDatabase  string `help:"postgres://… address for notifications between nodes, if --database is a connection pooler in transaction mode, which loses them. By default --database." placeholder:"URL"`
	DatabaseReplica string `help:"postgres://… address of a standby of --database. Catalogue reads of the public API go there whenever it has caught up with the store; otherwise to --database." placeholder:"URL"`
	SecretKeyFile   string `help:"File of the key that encrypts secrets at rest; by default secret.key in --data, made at the first run." type:"path" placeholder:"FILE"`
	SecretKey       string `help:"The key itself instead of a file: 32 bytes as hex or base64. Best given as VITRINE_SECRET_KEY." placeholder:"KEY" hidden:""`
}

// DatabaseURL returns the PostgreSQL URL or the SQLite file to open, by default vitrine.db in the data directory.
func (s Storage) DatabaseURL() string {
	if s.Database != "" {
		return s.Database
	}
	return filepath.Join(s.Data, "vitrine.db")
}

// KeyFile returns the path of the secret key file, by default secret.key in the data directory.
func (s Storage) KeyFile() string {
	if s.SecretKeyFile != "" {
		return s.SecretKeyFile
	}
	return filepath.Join(s.Data, "secret.key")
}

// SpoolDir returns the directory for temporary files that hold long request bodies and responses.
func (s Storage) SpoolDir() string { return filepath.Join(s.Data, "spool") }

// TimelineFile is where the timeline of PostgreSQL's primary is remembered.
func (s Storage) TimelineFile() string { return filepath.Join(s.Data, "postgres-timeline") }

// SearchDir returns the directory for the files of search columns.
func (s Storage) SearchDir() string { return filepath.Join(s.Data, "search") }

// Files holds the settings of commands that store images.
type Files struct {
	Blob          string `help:"Where images are stored: s3://bucket/prefix?endpoint=https://host:port&region=…, file:///dir or a path; by default blobs in --data. All nodes of one database must use the same." placeholder:"URL"`
	BlobAccessKey string `help:"Access key of the bucket, if the URL of --blob has none. Best given as VITRINE_BLOB_ACCESS_KEY." placeholder:"KEY" hidden:""`
	BlobSecretKey string `help:"Secret key of the bucket, if the URL of --blob has none. Best given as VITRINE_BLOB_SECRET_KEY." placeholder:"KEY" hidden:""`
}

// BlobURL returns the URL or directory of the image storage, by default blobs in the data directory.
func (f Files) BlobURL(s Storage) string {
	if f.Blob != "" {
		return f.Blob
	}
	return filepath.Join(s.Data, "blobs")
}

// Serve holds the settings of the serve command.
type Serve struct {
	Storage `embed:""`
	Files   `embed:""`

	// AdmissionWait is how long a request waits while too many others are in progress; 0 means a second, and a negative
	// value admits every request at once. Only tests and benchmarks set it.
	AdmissionWait time.Duration `kong:"-"`

	APIAddr   string `name:"api-addr" help:"Where the public API listens; with --dev, :8080 is on loopback only." default:":8080" placeholder:"ADDR"`
	AdminAddr string `help:"Where the store administration, /metrics and the health checks listen; :8081 is all interfaces." default:"127.0.0.1:8081" placeholder:"ADDR"`
	PublicURL string `name:"public-url" help:"URL at which clients reach the public API, such as https://api.shop.example; the URLs of images begin with it. By default the host of each request." placeholder:"URL"`
	AdminURL  string `name:"admin-url" help:"URL at which browsers reach the administration, such as https://admin.shop.example; the links in mails begin with it. By default the host of the browser's request; then no mail with a link is sent for a key." placeholder:"URL"`
	Dev       bool   `help:"For a developer's machine: no rate limits per address, readable logs, outgoing requests to http:// and loopback addresses, origins of this machine allowed for every store, and captcha test tokens."`

	DatabaseWait time.Duration `help:"How long the start waits for a PostgreSQL server that does not answer yet, as after a power cut; then the program ends with an error." default:"1m"`
	NoMigrate    bool          `name:"no-migrate" help:"Do not migrate the database: start only if it has the schema of this version. vitrine migrate brings it there."`
	NoFirstStore bool          `name:"no-first-store" help:"Create no store in a new database; vitrine store create does it."`
	NoBackground bool          `name:"no-background" help:"For a restored copy or a test system: do no background work. No webhooks, mail, SMS, image downloads or pushes in the background, no retention, no removal of image files. Requests work."`
	MetricsToken string        `help:"A token that /metrics and the profiles at /debug/pprof require as Authorization: Bearer. Without it, they answer only this machine. Best given as VITRINE_METRICS_TOKEN." placeholder:"TOKEN"`

	OTLPEndpoint string  `name:"otlp-endpoint" help:"URL of an OpenTelemetry collector, such as http://localhost:4318, to which traces are sent with OTLP over HTTP. Without it there are no traces." placeholder:"URL"`
	OTLPHeaders  string  `name:"otlp-headers" help:"Headers of the requests to the collector, such as authorization=Bearer%20…, separated by commas. Best given as VITRINE_OTLP_HEADERS." placeholder:"HEADERS" hidden:""`
	TraceSample  float64 `name:"trace-sample" help:"The share of traces that are recorded, from 0 to 1. A request whose W3C traceparent header says that its caller does not record the trace is not recorded either." default:"1" placeholder:"RATIO"`

	AllowNet  []string `help:"A private or special network, such as 10.1.0.0/16, that requests to URLs given by users (images, --sms-url) may reach. Repeatable." placeholder:"CIDR"`
	AllowHTTP bool     `name:"allow-http" help:"Allow URLs given by users to begin with http://, not only with https://."`

	CaptchaVerifyURL string `name:"captcha-verify-url" help:"URL that verifies captcha tokens, such as a proxy of your own; by default the provider's documented URL, and with --dev a built-in provider that judges test tokens." placeholder:"URL"`
	CaptchaScriptURL string `name:"captcha-script-url" help:"With --dev: URL of the captcha script that the page at /demo loads, for a provider other than reCAPTCHA; the script must offer grecaptcha.ready and grecaptcha.execute." placeholder:"URL"`

	SMTP   string `name:"smtp" help:"The mail server that sends mail: smtp://user:password@host:587?from=shop@example.com or smtps://…:465?from=…. Without it, mail is stored in a mailbox that the administration shows. Best given as VITRINE_SMTP." placeholder:"URL"`
	SMSURL string `name:"sms-url" help:"URL to which text messages are posted as JSON, {id, to, text}. Without it they are stored in the mailbox, too." placeholder:"URL"`

	Memory                memory.Size `help:"How much memory the process may use, such as 512MiB or 2GiB. Request bodies, responses, connections, images, caches and search columns get shares of it. Requests past a share are refused with 429 or 503, and an image that would take more than there is for one with 413. By default 80 % of what the control group or the machine has." placeholder:"SIZE"`
	SpoolLimit            memory.Size `help:"How many bytes of temporary files the bodies and responses of all requests may have together, such as 4GiB; one store may use half of it. By default 4GiB, or a quarter of the free disk space if that is less." placeholder:"SIZE"`
	ConnectionsPerAddress int         `help:"How many connections an address may have open to each listener at the same time; 0 is unlimited. Trusted proxies are exempt." default:"256"`

	SearchMemory               int           `help:"How many MiB the in-memory search columns may use, for all stores together; about 160 for a million products. A store that does not fit is searched with SQL, without facets if it has more than 100,000 products; with 0 all are. By default 1/8 of a --memory of 512 MiB, and about 1/3 of 2 GiB or more." default:"-1" placeholder:"MIB"`
	ExchangeRetention          time.Duration `help:"How long the records of pushes to the exchange gate are kept; 0 keeps them for ever." default:"720h"`
	EventRetention             time.Duration `help:"How long events and their deliveries to webhook receivers are kept; 0 keeps them for ever." default:"720h"`
	AuditRetention             time.Duration `help:"How long the log of who changed what is kept; 0 keeps it for ever." default:"8760h"`
	DraftRetention             time.Duration `help:"How long a cart is kept after its last change, an empty one of a guest for at most a day; 0 keeps all for ever." default:"720h"`
	InquiryRetention           time.Duration `help:"How long feedback and callback requests are kept; 0 keeps them for ever." default:"0"`
	CustomerRetention          time.Duration `help:"After this time without a login or an order a customer is erased, as with vitrine customer erase; 0 keeps all for ever." default:"0"`
	OrderPersonalDataRetention time.Duration `help:"How long after its end an order keeps name, contact, address and comments; lines and totals stay. 0 keeps them for ever." default:"0"`
	FailedCredentialsPerMinute int           `help:"How many requests with a bad credential an address may make in a minute; 0 is unlimited." default:"60"`
	PublicWritesPerMinute      int           `help:"How many storefront operations that change something (carts, orders, feedback, calls, signing in) an address may run in a minute; 0 is unlimited." default:"600"`
	PublicWritesPerPerson      int           `help:"How many of these operations a signed-in customer may run in a minute, from all addresses together, on this node; 0 is unlimited." default:"300"`
	PublicWritesPerStore       int           `help:"How many of these operations a store accepts in a minute, from all addresses together, on this node; 0 is unlimited." default:"60000"`
	CodesPerPerson             int           `help:"How many login codes one person may ask for in an hour; 0 is unlimited." default:"5"`
	CodesPerStore              int           `help:"How many login codes a store sends in an hour, to all people together; 0 is unlimited." default:"2000"`
	CodesPerCountry            int           `help:"How many login codes a store sends in an hour to the phone numbers of one country, whose prefix they begin with; 0 is unlimited." default:"500"`
	CodesPerAddress            int           `help:"How many login codes may be asked for from one address in an hour, and how many wrong ones it may send; 0 is unlimited." default:"60"`
	CartLinesPerHour           int           `help:"How many lines an address may write into carts in an hour, a new cart counting as one more; 0 is unlimited." default:"36000"`
	MaxGuestDrafts             int           `help:"How many carts of guests a store may have; past it, a new one replaces the oldest empty ones, or the oldest ones that nobody changed for an hour. 0 is unlimited." default:"200000"`
	MaxLineQuantity            int           `help:"How many pieces of one variant a visitor may order; 0 is unlimited." default:"10000"`
	ReservationTimeout         time.Duration `help:"After this time an order of a guest that nobody has confirmed is cancelled, which gives its stock back; 0 keeps it until somebody decides." default:"0"`
	TrustedProxy               []string      `help:"A network of proxies, such as 10.1.0.0/16, whose X-Forwarded-For is trusted: rate limits per address and logs then use the client's address. Repeatable." placeholder:"CIDR"`
	ShutdownDelay              time.Duration `help:"How long to report not ready before the listeners close, so that a load balancer notices; then --shutdown-timeout begins." default:"1s"`
	ShutdownTimeout            time.Duration `help:"How long requests in progress may take after --shutdown-delay, before their connections are closed. Pushes end after half of it, at their next batch, and are to be sent again." default:"20s"`
	LogFormat                  string        `help:"json or text. By default json, and text with --dev." default:"" enum:",json,text" placeholder:"FORMAT"`
	LogLevel                   string        `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error"`
}
