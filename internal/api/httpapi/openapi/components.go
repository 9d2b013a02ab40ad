package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/schema"
)

// The names of the security schemes.
const (
	bearerScheme     = "bearer"
	customerScheme   = "customerToken"
	orderTokenScheme = "orderToken"
	exchangeScheme   = "exchangeToken"
	sessionScheme    = "session"
)

// orderTokenHeader is the header with the token of a guest's order.
const orderTokenHeader = "X-Order-Token"

// credentialsText is the section on credentials of a surface that accepts publishable keys.
const credentialsText = `

## Credentials

Send ` + "`Authorization: Bearer <key>`" +
	`. A key belongs to one store, and that decides which store a request is about.

| key | may |
|---|---|
| ` + "`pk_…`" + ` publishable | read the catalogue and the store; safe to ship in a storefront |
| ` + "`sk_…`" + ` secret | everything within its scopes; keep it on your servers |
`

// conventionsText is the part of the introduction that applies to all routes of all surfaces.
const conventionsText = `

Rights are checked before existence: a credential that may not do something gets 403 whatever the id. What belongs to another store is 404.

## Bodies

Bodies are UTF-8 JSON with ` + "`Content-Type: application/json`" + `, plain or with ` + "`Content-Encoding: gzip`" +
	` or ` + "`zstd`" + `; answers are packed if you accept it.
Names of members are case-sensitive, unknown members are ignored, and what you have read may be sent back as it is.
Malformed JSON, a duplicate member or nesting over 64 levels is 400; a value of the wrong type is 422.
**PUT changes the members that are sent and leaves the others.** Every write is atomic: all of the request or nothing of it.

Unknown query parameters are 400, and the message names the closest known one.

A single resource answers ` + "`{\"data\": {…}}`" + `, a list ` + "`{\"data\": […], \"meta\": {…}}`" +
	`. Lists come in pages: ` + "`page`" + ` from 1, ` + "`per_page`" + ` up to 250.
Lists that grow for ever take a ` + "`cursor`" + ` instead, and answer ` + "`meta.next_cursor`" + `: null at the end.
` + "`with`" + ` asks for extras of a resource, separated by commas or repeated; ` + "`q`" +
	` searches by the beginnings of words, whatever their case, in any script.

## Errors

Every error is an RFC 9457 problem with ` + "`Content-Type: application/problem+json`" + `. Branch on ` + "`code`" +
	`, which is stable; show ` + "`detail`" + ` to people; quote
` + "`request_id`" + ` when you ask for help. With 422 ` + "`errors`" +
	` names each place that broke a rule, such as ` + "`values[2].name`" + `, with a code and a message of its own.

## Repeating requests

Send an ` + "`Idempotency-Key`" +
	` with POST, and a request whose answer you lost can be sent again: the same key with the same bytes answers the first
result within 24 hours, with ` + "`Idempotent-Replayed: true`" + `. The same key with other bytes is 422 (` +
	"`idempotency_key_reused`" + `); while the first is still running it is 409. Refusals (401, 409, 422,
429, 5xx) are not remembered. A key belongs to whoever uses it: the customer, the operator or the API key, and the ` +
	"`X-Order-Token`" + ` sent with it. Strangers share a publishable key, so with one
it has at least 16 characters, else 400 (` + "`weak_idempotency_key`" + `): draw it at random.

Single resources carry an ` + "`ETag`" + `. Send it back as ` + "`If-Match`" +
	` with PUT or DELETE, and a change that somebody else made in between is 412 instead of lost.

## Dates, money, names

Every date is an object with nine forms of the same instant, in the timezone and language of the store. With ` +
	"`dates=iso`" + ` it is one ISO 8601 string
in UTC instead; ` + "`/openapi.json?dates=iso`" + ` is this document with such dates. A GET with it has an ` +
	"`ETag`" + `, lists too, and ` + "`If-None-Match`" + ` is answered with 304 while nothing has changed. Money is an exact JSON number with at most 4
decimals. Identifiers are UUIDv7. Names of options, features and their values are strings or numbers when sent, and strings when read.
`

// problemDoc documents an error status.
type problemDoc struct {
	status        int
	name          string // the name of the shared response in the components
	description   string
	fault         *fault.Error // the example
	hasRetryAfter bool         // the documented headers of the response include Retry-After
}

// problemDocOf returns the documentation of an error status, or nil if problemDocs does not have the status.
func problemDocOf(status int) *problemDoc {
	list := problemDocs()
	if i := slices.IndexFunc(list, func(p problemDoc) bool { return p.status == status }); i >= 0 {
		return &list[i]
	}
	return nil
}

// problemDocs returns the documentation of all error statuses.
var problemDocs = sync.OnceValue(func() []problemDoc {
	field := fault.Field{Field: "values[2].name", Code: "required",
		Message: "A name may not be empty; 1 to 255 characters are right."}
	broken := fault.New(fault.Invalid, "validation_failed", "The request breaks a rule; nothing of it was applied.")
	broken.Fields = []fault.Field{field}
	list := []problemDoc{
		{name: "BadRequest",
			description: "The request cannot be read: malformed JSON, a malformed query parameter or header.",
			fault: fault.New(fault.Malformed, "malformed_query",
				"The query parameter per_page must be a whole number from 1 to 250.")},
		{name: "Unauthorized",
			description: "There is no credential (`credential_required`), or it is unknown, " +
				"expired or revoked (`invalid_credential`, always the same).",
			fault: fault.New(fault.Unauthenticated, "invalid_credential",
				"The key or token is not valid: it is mistyped, unknown, "+
					"revoked or expired. Check that it is complete, or ask the store's owner for a new one.")},
		{name: "Forbidden", description: "The credential is valid, but may not do this.",
			fault: fault.New(fault.Denied, "forbidden",
				"This credential is valid, but may not do this; it would need the scope catalog:write.")},
		{name: "NotFound", description: "There is no such thing in this store. An id that is no UUID is the same.",
			fault: fault.Missing("feature")},
		{name: "RequestTimeout",
			description: "The body came too slowly: after the first 30 seconds it must arrive at 16 KiB/s on average.",
			fault: fault.New(fault.TooSlow, "body_too_slow",
				"The body came too slowly: after the first 30s it must arrive "+
					"at 16384 bytes a second on average. Nothing was changed.")},
		{name: "Conflict",
			description: "The present state forbids it. With an Idempotency-Key: the first request with it is still " +
				"running.",
			fault: fault.New(fault.Conflict, "idempotency_in_progress",
				"A request with this Idempotency-Key is still running; wait for its answer."), hasRetryAfter: true},
		{name: "Gone", description: "What the request refers to is no longer kept.",
			fault: fault.New(fault.Gone, "cursor_expired",
				"The cursor is of 2026-01-01. What was deleted is known for "+
					"90 days only: export everything, without changed_since.")},
		{name: "PreconditionFailed",
			description: "It has changed since you read it: `If-Match` does not name its present ETag.",
			fault:       fault.VersionChanged()},
		{name: "TooLarge", description: "The body is over its limit, after unpacking, " +
			"or it unpacks to more than 250 times its size (`decompression_bomb`).",
			fault: fault.New(fault.TooLarge, "body_too_large", "The body is over the limit of %d bytes.",
				httpapi.BodyLimit)},
		{name: "UnsupportedMediaType",
			description: "The body is not sent as JSON, or is packed in a way that is not read here.",
			fault: fault.New(fault.Unsupported, "unsupported_media_type",
				"The body must be JSON, sent with Content-Type: application/json.")},
		{name: "Invalid",
			description: "The request is well-formed, but breaks a rule or refers to what does not exist. Nothing of " +
				"it was applied. At most 100 places are listed.",
			fault: broken},
		{name: "TooManyRequests",
			description: "Too many requests with a bad credential came from this address, " +
				"or this address or store has too much in progress (`too_many_requests`).",
			fault: fault.New(fault.TooMany, "too_many_failed_credentials",
				"Too many requests with a bad credential came from this address."), hasRetryAfter: true},
		{name: "Internal",
			description: "Something went wrong on our side. The log has the cause under the `request_id`.",
			fault: fault.New(fault.Internal, "internal",
				"Something went wrong on our side. Quote the request_id when you ask for help.")},
		{name: "Unavailable", description: "The database is away, the disk is full, " +
			"the server has no room for more (`overloaded`), or the products of a store are being read into memory " +
			"(`search_busy`). Nothing was changed; try again. `facets_unavailable`: a store with more than 100,000 " +
			"products does not fit into the search memory of the server, " +
			"so that its facets cannot be counted; leave them out.",
			fault: fault.New(fault.Unavailable, "database_unavailable",
				"The database cannot be reached; nothing was changed. Try again shortly."), hasRetryAfter: true},
	}
	for i := range list {
		list[i].status = httpapi.StatusOf(list[i].fault.Kind)
	}
	return list
})

// components returns the components object, the parts of the document that operations refer to.
func (b *documentBuilder) components(routes []httpapi.Route) orderedObject {
	responses := orderedObject{}
	for _, p := range problemDocs() {
		responses.set(p.name, p.response(problemSchema(b.schemaOf(httpapi.Problem{}), commonCodes(p.status))))
	}

	codes := &huma.Schema{Type: huma.TypeString, Description: "The `code` of a problem. Further ones may come with " +
		"later versions: treat an unknown one by its status."}
	for _, code := range allCodes(routes) {
		codes.Enum = append(codes.Enum, code)
	}
	schema.Register(b.schemas, "ProblemCode", codes)

	return orderedObject{
		{"securitySchemes", b.securitySchemes()},
		{"parameters", sharedParameters(b.isoDates)},
		{"headers", sharedHeaders()},
		{"responses", append(responses, b.extendedResponses...)},
		{"schemas", b.componentSchemas()},
	}
}

func (b *documentBuilder) securitySchemes() orderedObject {
	if b.about.SecretOnly {
		return orderedObject{
			{bearerScheme, &huma.SecurityScheme{Type: "http", Scheme: "bearer", BearerFormat: "sk_…",
				Description: "A secret key `sk_…` of the store. The names in an operation's security requirement are " +
					"the scopes that it needs."}},
			{sessionScheme, &huma.SecurityScheme{Type: "apiKey", In: "cookie", Name: "__Host-vitrine",
				Description: "The session of an operator who signed in at `/login`, within their role."}},
		}
	}

	schemes := orderedObject{
		{bearerScheme, &huma.SecurityScheme{
			Type: "http", Scheme: "bearer", BearerFormat: "pk_… or sk_…",
			Description: "A key of the store: a publishable key `pk_…` to read, " +
				"a secret key `sk_…` to write. The names in an operation's security requirement are the scopes that " +
				"it needs.",
		}},
		{customerScheme, &huma.SecurityScheme{
			Type: "http", Scheme: "bearer", BearerFormat: "ct_…",
			Description: "The token `ct_…` of a customer who signed in with `/v2/auth/passwordless`. It allows what " +
				"a publishable key allows, and reaches the customer's own orders and profile.",
		}},
		{orderTokenScheme, &huma.SecurityScheme{
			Type: "apiKey", In: "header", Name: orderTokenHeader,
			Description: "The `order_token` of an order, by which a guest reaches it, beside a publishable key.",
		}},
	}
	if b.hasExchangeRoute {
		schemes.set(exchangeScheme, &huma.SecurityScheme{
			Type: "http", Scheme: "bearer", BearerFormat: "xt_…",
			Description: "The exchange token `xt_…` of an accounting system. It stands in the path as `{token}`, " +
				"and then this header is not needed; or here, and then the path goes without that part: " +
				"`/v2/sync-gate/products`. " +
				"The names in an operation's security requirement are the scopes that it needs.",
		})
	}

	return schemes
}

// response describes the problem as a response whose body has the given schema.
func (p problemDoc) response(body *huma.Schema) *huma.Response {
	headers := map[string]*huma.Header{"X-Request-Id": headerRef("RequestId")}
	if p.hasRetryAfter {
		headers["Retry-After"] = headerRef("RetryAfter")
	}
	if p.status == http.StatusUnauthorized {
		headers["WWW-Authenticate"] = headerRef("WWWAuthenticate")
	}
	example := httpapi.ProblemJSON(p.fault, schema.ExampleID)
	return &huma.Response{Description: p.description, Headers: headers, Content: map[string]*huma.MediaType{
		"application/problem+json": {Schema: body, Example: json.RawMessage(example)},
	}}
}

// failureResponse returns the response with a problem: a reference to the shared one, unless the route has codes of its
// own with this status.
func (b *documentBuilder) failureResponse(p problemDoc, route httpapi.Route) *huma.Response {
	name := p.name
	body := b.schemaOf(httpapi.Problem{})
	if m := route.ProblemMember; m != nil && slices.Contains(m.Statuses, p.status) {
		with := "With" + strings.ToUpper(m.Name[:1]) + m.Name[1:]
		name += with
		p.description += fmt.Sprintf(" Where it has the member `%s`, that tells what was done before.", m.Name)

		value := *b.schemaOf(m.Value)
		value.Description = m.Description
		body = schema.Register(b.schemas, "Problem"+with, &huma.Schema{AllOf: []*huma.Schema{
			body, {Type: huma.TypeObject, Properties: map[string]*huma.Schema{m.Name: &value}},
		}})
		if b.extendedResponses.get(name) == nil {
			b.extendedResponses.set(name, p.response(problemSchema(body, commonCodes(p.status))))
		}
	}

	if own := ownCodes(route, p.status); len(own) > 0 {
		codes := ProblemCodes(route)[p.status]
		if f, ok := errors.AsType[*fault.Error](p.fault); ok && !slices.Contains(codes, f.Code) {
			p.fault = fault.New(f.Kind, own[0], "%s", p.description)
		}
		return p.response(problemSchema(body, codes))
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

// sharedParameters returns the parameters that several operations have. They have no examples, since documentation
// pages prefill requests with examples.
func sharedParameters(isoDates bool) orderedObject {
	param := func(name, in, description string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: in, Description: description, Schema: schema}
	}
	text := &huma.Schema{Type: huma.TypeString}
	dates := param("dates", "query",
		"`iso` shows each date as one ISO 8601 string in UTC, such as `2026-11-14T12:00:05Z`, "+
			"in place of the date object. The answer to a GET with it does not age: it has an `ETag`, lists too.",
		&huma.Schema{Type: huma.TypeString, Enum: []any{"iso"}})
	dates.Required = isoDates

	return orderedObject{
		{"Page", param("page", "query", "The number of the page, from 1.",
			&huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Default: 1})},
		{"PerPage", param("per_page", "query", "How many elements a page has.",
			&huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(httpapi.MaxPerPage)),
				Default: httpapi.DefaultPerPage})},
		{"Cursor", param("cursor", "query",
			"Where to go on: the `meta.next_cursor` of the answer before. Left out, it is the beginning.", text)},
		{"IdempotencyKey", param("Idempotency-Key", "header",
			"1 to 255 visible characters, such as a UUID: new for each new request, "+
				"the same when you repeat one. Makes the request safe to repeat for 24 hours. With a publishable key "+
				"at least 16 characters, drawn at random.",
			&huma.Schema{Type: huma.TypeString, MinLength: new(1), MaxLength: new(255), Pattern: `^[\x21-\x7e]+$`})},
		{"IfMatch", param("If-Match", "header",
			"The `ETag` that you read, such as `\"v3\"` with its quotes. If the resource has changed since, "+
				"nothing is done and the answer is 412. `*` accepts any state.", text)},
		{"Dates", dates},
		{"IfNoneMatch", param("If-None-Match", "header",
			"With `dates=iso`: the `ETag` of the answer that you have. If it has not changed, "+
				"the answer is 304 without a body.", text)},
		{"RequestId", param("X-Request-Id", "header",
			"An id of your own for this request, up to 128 visible characters; it comes back in the answer and "+
				"stands in our log. One is made without it.", text)},
	}
}

func sharedHeaders() orderedObject {
	text := func(description, example string) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
	}

	return orderedObject{
		{"RequestId", text("The id of this request: yours, or one that was made.", schema.ExampleID)},
		{"ETag", text("The present state of the resource, for `If-Match`.", `"v3"`)},
		{"Location", text("The path of what was created, or of the record of what is under way.",
			"/v2/features/"+schema.ExampleID)},
		{"PreferenceApplied", text("Which preference of the header `Prefer` was followed.", "respond-async")},
		{"IdempotentReplayed",
			text("`true` if this is the remembered answer to an earlier request with the same Idempotency-Key; "+
				"absent otherwise.", "true")},
		{"WWWAuthenticate", text("Which kind of credential is expected.", `Bearer realm="vitrine"`)},
		{"RetryAfter", &huma.Header{Description: "After how many seconds a retry makes sense.",
			Schema: &huma.Schema{Type: huma.TypeInteger}, Example: 5}},
	}
}

func headerRef(name string) *huma.Header { return &huma.Header{Ref: "#/components/headers/" + name} }

func paramRef(name string) *huma.Param { return &huma.Param{Ref: "#/components/parameters/" + name} }

// operationParameters returns the parameters of a route in its path, its query and its headers.
func (b *documentBuilder) operationParameters(route httpapi.Route) []*huma.Param {
	var list []*huma.Param
	for _, d := range route.PathParams {
		p := newParam(d, "path")
		p.Required = true
		if isID(d.Name) {
			p.Schema = &huma.Schema{Type: huma.TypeString, Format: "uuid"}
			p.Example = schema.ExampleID
		}
		list = append(list, p)
	}

	optional := queryParams(route.QueryParams)
	for _, h := range route.HeaderParams {
		optional = append(optional, newParam(h, "header"))
	}
	if b.forPage {
		describeExamples(optional)
	}

	list = append(list, optional...)
	if route.Paged {
		list = append(list, paramRef("Page"), paramRef("PerPage"))
	}

	if route.CursorPaged {
		list = append(list, paramRef("Cursor"), paramRef("PerPage"))
	}

	if route.Needs != "" {
		list = append(list, paramRef("Dates"))
	}

	if revalidates(route) {
		list = append(list, paramRef("IfNoneMatch"))
	}

	if takesIdempotencyKey(route) {
		list = append(list, paramRef("IdempotencyKey"))
	}

	if takesIfMatch(route) {
		list = append(list, paramRef("IfMatch"))
	}

	return append(list, paramRef("RequestId"))
}

// describeExamples moves the examples of parameters into their descriptions. The page at /docs sends each example with
// the request that a reader tries, and most combinations of optional parameters make no sense together.
func describeExamples(params []*huma.Param) {
	for _, p := range params {
		var example string
		switch value := p.Example.(type) {
		case nil:
			continue
		case []string:
			example = strings.Join(value, ",")
		default:
			example = fmt.Sprintf("%s", value)
		}

		p.Description += "\n\nExample: `" + example + "`"
		p.Example = nil
	}
}

func newParam(d httpapi.Param, in string) *huma.Param {
	p := &huma.Param{Name: d.Name, In: in, Description: d.Description, Schema: &huma.Schema{Type: huma.TypeString}}
	switch {
	case len(d.Enum) > 0:
		for _, v := range d.Enum {
			p.Schema.Enum = append(p.Schema.Enum, v)
		}
		if d.Example != "" {
			p.Example = d.Example
		}

	case d.IDs > 0:
		explode := false
		p.Style = "form"
		p.Explode = &explode
		p.Schema = &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, MinItems: new(1),
			MaxItems: new(d.IDs)}
		if d.Example != "" {
			p.Example = strings.Split(d.Example, ",")
		}

	case len(d.Values) > 0:
		explode := false
		words := make([]any, len(d.Values))
		for i, v := range d.Values {
			words[i] = v
		}

		p.Style = "form"
		p.Explode = &explode
		p.Schema = &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Enum: words}}

		if d.Example != "" {
			p.Example = strings.Split(d.Example, ",")
		}

	case d.Repeated:
		explode := true
		p.Style = "form"
		p.Explode = &explode
		p.Schema = &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}
		if d.Example != "" {
			p.Example = []string{d.Example}
		}

	case d.Type == huma.TypeInteger, d.Type == huma.TypeNumber, d.Type == huma.TypeBoolean:
		p.Schema.Type = d.Type
		if d.Example != "" {
			p.Example = json.RawMessage(d.Example) // the example is valid JSON already
		}
	case d.Example != "":
		p.Example = d.Example
	}

	return p
}
