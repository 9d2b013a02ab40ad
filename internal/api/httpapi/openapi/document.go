// Package openapi describes a table of routes as an OpenAPI 3.1 document, and serves that document and the pages that
// show it. It also has the types that only request bodies are described with, such as NameInput and FileInput.
package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/access"
)

// About describes a surface as a whole.
type About struct {
	Title   string
	Version string
	// Intro is the introduction, in CommonMark. The document appends the conventions of all surfaces to it.
	Intro string
	// Agents is what programs that write code should know first, as Markdown in the form of llms.txt. It may be empty.
	Agents []byte
	// SecretOnly is true if no route accepts publishable keys. The Intro then describes the credentials.
	SecretOnly bool
	// Tags group the operations, in this order. The tag of each route must be among them.
	Tags []Tag
	// Docs override the descriptions of members, by schema and member, such as Run.entity. They are for types that
	// surfaces with different readers share.
	Docs map[string]string
}

// Tag is a group of operations.
type Tag struct {
	Name        string
	Description string
}

// Document is the OpenAPI 3.1 description of a surface and the pages that show it. It is checked for gaps when it is
// created, and rendered at its first use.
type Document struct {
	routes []httpapi.Route
	files  func() (*documentFiles, error)
}

// NewDocument describes a table of routes, and the routes of the document itself. It returns an error that lists all
// gaps if the documentation of a route is not sufficient to call it.
func NewDocument(about About, routes []httpapi.Route) (*Document, error) {
	d := &Document{}
	return d.describe(about, routes, d.documentRoutes(about))
}

// NewDocumentWithoutStart is like NewDocument, but without the route /, for a surface that has a page of its own there.
func NewDocumentWithoutStart(about About, routes []httpapi.Route) (*Document, error) {
	d := &Document{}
	return d.describe(about, routes,
		slices.DeleteFunc(d.documentRoutes(about), func(r httpapi.Route) bool { return r.Path == "/{$}" }))
}

func (d *Document) describe(about About, routes, own []httpapi.Route) (*Document, error) {
	d.routes = own
	about.Tags = append(slices.Clone(about.Tags), Tag{
		Name:        documentTag,
		Description: "The description of this API, for people and for programs. No credential is needed.",
	})
	all := slices.Concat(routes, d.routes)

	b := newDocumentBuilder(about)
	if err := b.checkAll(all); err != nil {
		return nil, err
	}

	d.files = sync.OnceValues(func() (*documentFiles, error) {
		rendered, err := b.render(all)
		if err != nil {
			return nil, err
		}

		b.forPage = true
		forPage, err := b.render(all)
		if err != nil {
			return nil, err
		}

		b.forPage = false
		b.isoDates = true
		iso, err := b.render(all)
		if err != nil {
			return nil, err
		}
		if iso, err = withISODates(iso); err != nil {
			return nil, err
		}

		return newDocumentFiles(about, renderedDocuments{rendered, iso, forPage})
	})

	return d, nil
}

// Routes returns the routes that serve the document: /docs, /docs/{file} and /openapi.json, and possibly /.
func (d *Document) Routes() []httpapi.Route { return d.routes }

// JSON returns the document.
func (d *Document) JSON() ([]byte, error) {
	p, err := d.files()
	if err != nil {
		return nil, err
	}
	return p.openapi.decompress()
}

// ISOJSON returns the document that describes the answers to requests with dates=iso.
func (d *Document) ISOJSON() ([]byte, error) {
	p, err := d.files()
	if err != nil {
		return nil, err
	}
	return p.openapiISO.decompress()
}

// Group adds the tag to the documentation of routes, by method and path, and documents their path parameters. The
// description of id names the noun, and the description of a parameter such as variant_id names the variant. A
// parameter that has a description keeps it.
func Group(tag, noun string, documentation map[string]httpapi.Route) map[string]httpapi.Route {
	for key, doc := range documentation {
		var params []httpapi.Param
		for _, name := range pathParams(key) {
			thing := noun
			if of, ok := strings.CutSuffix(name, "_id"); ok {
				thing = of
			}

			param := httpapi.Param{Name: name, Description: "The id of the " + thing + "."}
			if i := slices.IndexFunc(doc.PathParams, func(p httpapi.Param) bool { return p.Name == name }); i >= 0 {
				param = doc.PathParams[i]
			}

			params = append(params, param)
		}

		doc.Tag, doc.PathParams = tag, params
		documentation[key] = doc
	}

	return documentation
}

// Describe merges the documentation, by method and path, into the routes, so that a table of routes need not contain
// it. The default status is 200, or 204 for a route without a response. Describe panics if a route has no
// documentation, or documentation has no route.
func Describe(routes []httpapi.Route, documentation map[string]httpapi.Route) []httpapi.Route {
	for i, r := range routes {
		key := r.Method + " " + r.Path
		doc, ok := documentation[key]
		if !ok {
			panic("openapi: " + key + " is routed and not described")
		}

		delete(documentation, key)
		doc.Method = r.Method
		doc.Path = r.Path
		doc.Needs = r.Needs
		doc.SecretOnly = r.SecretOnly
		doc.Denied = r.Denied
		doc.Handler = r.Handler
		doc.Exchange = r.Exchange
		doc.Unlimited = r.Unlimited
		doc.First = r.First
		doc.KeyInQuery = r.KeyInQuery
		doc.Class = cmp.Or(doc.Class, r.Class)

		if doc.Status == 0 && doc.Response == nil && doc.PlainMediaType == "" {
			doc.Status = http.StatusNoContent
		}

		doc.Status = cmp.Or(doc.Status, http.StatusOK)
		routes[i] = doc
	}

	if len(documentation) > 0 {
		panic("openapi: " + slices.Sorted(maps.Keys(documentation))[0] + " is described and not routed")
	}

	return routes
}

// documentBuilder collects the parts of the document.
type documentBuilder struct {
	about        About
	schemas      huma.Registry
	tags         []string
	operationIDs map[string]string // operation id → route
	// extendedResponses are the shared responses of problems with an additional member.
	extendedResponses orderedObject
	// hasExchangeRoute is true if some route needs an exchange token.
	hasExchangeRoute bool
	// isoDates is true while the document with ISO dates is rendered.
	isoDates bool
	// forPage is true while the document for the page at /docs is rendered.
	forPage bool
}

func newDocumentBuilder(about About) *documentBuilder {
	b := &documentBuilder{about: about, schemas: huma.NewMapRegistry(schema.Prefix, huma.DefaultSchemaNamer),
		operationIDs: map[string]string{}}
	for _, t := range about.Tags {
		b.tags = append(b.tags, t.Name)
	}
	b.schemas.Schema(reflect.TypeFor[schema.DateObject](), true, "") // the payloads of webhooks refer to it
	b.schemas.RegisterTypeAlias(reflect.TypeFor[locale.Date](), reflect.TypeFor[schema.DateObject]())
	return b
}

// checkAll returns an error that lists all gaps in the documentation of the routes.
func (b *documentBuilder) checkAll(routes []httpapi.Route) error {
	var gaps []error
	for _, route := range routes {
		if err := b.check(route); err != nil {
			gaps = append(gaps, fmt.Errorf("%s %s: %w", route.Method, route.Path, err))
		}
	}
	if err := errors.Join(gaps...); err != nil {
		return fmt.Errorf("the OpenAPI document has gaps:\n%w", err)
	}
	return nil
}

// render returns the document as JSON. checkAll has found no gaps in the routes.
func (b *documentBuilder) render(routes []httpapi.Route) ([]byte, error) {
	about := b.about
	tags := make([]*huma.Tag, len(about.Tags))
	for i, t := range about.Tags {
		tags[i] = &huma.Tag{Name: t.Name, Description: t.Description}
	}

	var paths orderedObject
	for _, route := range routes {
		item, _ := paths.get(openAPIPath(route.Path)).(orderedObject)
		paths.set(openAPIPath(route.Path),
			append(item, objectMember{strings.ToLower(route.Method), b.operation(route)}))
	}

	intro := about.Intro + credentialsText + conventionsText
	if about.SecretOnly {
		intro = about.Intro + conventionsText
	}

	if b.isoDates {
		intro = isoIntro + intro
	}
	if b.forPage {
		intro = pageIntro + intro
	}

	return json.Marshal(orderedObject{
		{"openapi", "3.1.0"},
		{"info", &huma.Info{Title: about.Title, Version: about.Version, Description: intro}},
		{"servers", []*huma.Server{{URL: "/", Description: "The server that this document came from."}}},
		{"tags", tags},
		{"paths", paths},
		{"webhooks", webhooks()},
		{"components", b.components(routes)},
	})
}

var operationIDPattern = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

// check returns the gaps in the documentation of a route.
func (b *documentBuilder) check(route httpapi.Route) error {
	var gaps []error
	want := func(ok bool, message string, args ...any) {
		if !ok {
			gaps = append(gaps, fmt.Errorf(message, args...))
		}
	}
	name := route.Method + " " + route.Path
	want(operationIDPattern.MatchString(route.OperationID), "OperationID %q is not a camelCase name", route.OperationID)
	want(b.operationIDs[route.OperationID] == "", "OperationID %q is taken by %s", route.OperationID,
		b.operationIDs[route.OperationID])
	b.operationIDs[route.OperationID] = name
	want(route.Summary != "" && !strings.HasSuffix(route.Summary, "."), "Summary is missing or ends with a full stop")
	want(strings.HasSuffix(strings.TrimSpace(route.Description), "."),
		"Description is missing or does not end with a full stop")
	want(slices.Contains(b.tags, route.Tag), "Tag %q is not among the tags of the document", route.Tag)
	want(route.Status >= 200 && route.Status < 300, "Status %d is not a success", route.Status)
	answers := route.Response != nil || route.PlainMediaType != ""
	want(answers == (route.Status != http.StatusNoContent),
		"a response type or a media type is needed, except with status 204")
	want(route.Response == nil || len(route.ResponseExamples) > 0, "an example of the response is needed")
	want(route.Body == nil || len(route.BodyExamples) > 0, "an example of the body is needed")
	want(route.PlainMediaType != "" || route.Needs != "",
		"a route that needs no credential must be without the envelope")

	for _, p := range pathParams(route.Path) {
		want(slices.ContainsFunc(route.PathParams, func(d httpapi.Param) bool { return d.Name == p }),
			"the path parameter {%s} is not documented", p)
	}

	for _, p := range slices.Concat(route.PathParams, route.QueryParams, route.HeaderParams) {
		want(p.Name != "" && (p.Description != "" || p.Unlisted), "parameter %q needs a name and a description", p.Name)
	}

	for _, e := range slices.Concat(route.BodyExamples, route.ResponseExamples, route.AcceptedExamples) {
		want(e.Name != "" && json.Valid([]byte(e.JSON)), "example %q needs a name and valid JSON", e.Name)
	}

	if m := route.ProblemMember; m != nil {
		want(m.Name != "" && m.Description != "" && m.Value != nil && len(m.Statuses) > 0,
			"the member %q of problems needs a name, a description, a value and statuses", m.Name)
	}

	for _, r := range route.Refusals {
		want(problemDocOf(r.Status) != nil && r.Code != "" && r.When != "",
			"refusal %d %q needs a known status, Code and When", r.Status, r.Code)
	}

	return errors.Join(gaps...)
}

func (b *documentBuilder) operation(route httpapi.Route) *huma.Operation {
	op := &huma.Operation{
		OperationID: route.OperationID,
		Summary:     route.Summary,
		Description: strings.TrimSpace(route.Description) + b.needsText(route) + refusalsText(route.Refusals),
		Tags:        []string{route.Tag},
		Parameters:  b.operationParameters(route),
		Responses: map[string]*huma.Response{
			strconv.Itoa(route.Status): b.successResponse(route, route.ResponseExamples),
		},
		Security: []map[string][]string{}, // empty, not nil: no credential is needed
	}
	switch {
	case route.Exchange:
		b.hasExchangeRoute = true
		op.Security = []map[string][]string{{exchangeScheme: securityScopes(route.Needs)}}
	case route.Needs != "":
		op.Security = b.security(route)
	}

	if revalidates(route) {
		op.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{
			Description: "With `dates=iso` and `If-None-Match`: nothing has changed.",
			Headers:     map[string]*huma.Header{"ETag": headerRef("ETag"), "X-Request-Id": headerRef("RequestId")},
		}
	}

	if len(route.AcceptedExamples) > 0 {
		op.Responses[strconv.Itoa(http.StatusAccepted)] = b.acceptedResponse(route)
	}

	if route.Body != nil {
		op.RequestBody = &huma.RequestBody{Required: !route.BodyOptional, Content: map[string]*huma.MediaType{
			"application/json": {Schema: b.schemaOf(route.Body), Examples: openAPIExamples(route.BodyExamples)},
		}}
		if route.BodyNDJSON != nil {
			op.RequestBody.Content["application/x-ndjson"] = &huma.MediaType{Schema: b.schemaOf(route.BodyNDJSON)}
		}
	}

	if route.Form != nil {
		alone := &huma.MediaType{Schema: FileInput{}.Schema(b.schemas)}
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"multipart/form-data": {Schema: b.schemaOf(route.Form)}, "application/octet-stream": alone,
			"image/*": alone,
		}}
	}

	for _, status := range failureStatuses(route) {
		op.Responses[strconv.Itoa(status)] = b.failureResponse(*problemDocOf(status), route)
	}

	return op
}

// needsText returns the paragraph on the credentials that may call a route.
func (b *documentBuilder) needsText(route httpapi.Route) string {
	var who string
	switch scope := route.Needs; {
	case scope == "":
		return ""
	case route.Exchange && scope == httpapi.AnyScope:
		return "\n\n**Needs** an exchange token, whatever its scopes."
	case route.Exchange:
		return fmt.Sprintf("\n\n**Needs** an exchange token with the scope `%s`.", scope)
	case scope == httpapi.AnyScope:
		return "\n\n**Needs** a valid credential, whatever its scopes."
	case scope == access.Storefront:
		return "\n\n**Needs** a publishable key, a customer token or a secret key, whatever its scopes."
	case scope == access.Profile:
		return "\n\n**Needs** a customer token."
	case b.about.SecretOnly:
		who = "a secret key with this scope, or an operator whose role has it"
	case route.KeyInQuery == access.FeedKey:
		who = "the key of the feed, or a secret key with this scope"
	case !route.SecretOnly && access.Principal{Kind: access.PublishableKey}.May(scope):
		who = "any publishable key, or a secret key with this scope"
	default:
		who = "a secret key with this scope; a publishable key may not"
	}

	return fmt.Sprintf("\n\n**Needs** `%s`: %s.", route.Needs, who)
}

// security returns the credentials that a route accepts, one of which is needed.
func (b *documentBuilder) security(route httpapi.Route) []map[string][]string {
	key := map[string][]string{bearerScheme: securityScopes(route.Needs)}
	customer := map[string][]string{customerScheme: {}}
	switch {
	case b.about.SecretOnly:
		return []map[string][]string{key, {sessionScheme: {}}}
	case route.Needs == access.Profile:
		return []map[string][]string{customer}
	case slices.ContainsFunc(route.HeaderParams, func(p httpapi.Param) bool { return p.Name == orderTokenHeader }):
		return []map[string][]string{key, customer, {bearerScheme: {}, orderTokenScheme: {}}}
	case route.SecretOnly:
		return []map[string][]string{key}
	case route.Needs == access.Storefront, access.Principal{Kind: access.PublishableKey}.May(route.Needs):
		return []map[string][]string{key, customer}
	}
	return []map[string][]string{key}
}

// revalidates reports whether a route answers 304.
func revalidates(route httpapi.Route) bool {
	return route.Needs != "" && route.Method == http.MethodGet
}

func securityScopes(scope access.Scope) []string {
	if scope == httpapi.AnyScope || scope == access.Storefront || scope == access.Profile {
		return []string{}
	}
	return []string{string(scope)}
}

// refusalsText returns the paragraph on the problems that are specific to a route.
func refusalsText(list []httpapi.Refusal) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\n**Refused with**\n")
	for _, r := range list {
		fmt.Fprintf(&b, "\n- %d `%s`: %s", r.Status, r.Code, r.When)
	}
	return b.String()
}

// failureStatuses returns the error statuses that a route may have, in ascending order.
func failureStatuses(route httpapi.Route) []int {
	set := map[int]bool{}
	add := func(when bool, statuses ...int) {
		for _, s := range statuses {
			set[s] = set[s] || when
		}
	}
	// A POST that takes no members may be sent with an empty object.
	body := route.Body != nil || route.Form != nil || (route.Needs != "" && route.Method == http.MethodPost)

	// Every route with a credential refuses unknown query parameters.
	add(route.Needs != "", http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable)
	add(len(pathParams(route.Path)) > 0, http.StatusNotFound)
	add(takesIfMatch(route), http.StatusPreconditionFailed)
	add(body, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	add(body && !route.Exchange, http.StatusRequestTimeout)
	add(body || takesIdempotencyKey(route), http.StatusUnprocessableEntity)
	add(takesIdempotencyKey(route), http.StatusConflict)

	for _, r := range route.Refusals {
		add(true, r.Status)
	}

	maps.DeleteFunc(set, func(_ int, fails bool) bool { return !fails })
	return slices.Sorted(maps.Keys(set))
}

func takesIfMatch(route httpapi.Route) bool {
	if slices.ContainsFunc(route.HeaderParams, func(p httpapi.Param) bool { return p.Name == "If-Match" }) {
		return false // the route describes it
	}
	conditional := slices.ContainsFunc(route.Refusals,
		func(r httpapi.Refusal) bool { return r.Status == http.StatusPreconditionFailed })
	return route.Needs != "" &&
		(route.Method == http.MethodPut || route.Method == http.MethodDelete || conditional)
}

func takesIdempotencyKey(route httpapi.Route) bool {
	return route.Needs != "" && route.Method == http.MethodPost && !route.Exchange
}

// acceptedResponse describes the response 202 to a request that is processed asynchronously.
func (b *documentBuilder) acceptedResponse(route httpapi.Route) *huma.Response {
	route.Status = http.StatusAccepted
	r := b.successResponse(route, route.AcceptedExamples)
	r.Headers["Location"] = headerRef("Location")
	r.Headers["Preference-Applied"] = headerRef("PreferenceApplied")
	return r
}

// successResponse describes the response to a request that succeeded.
func (b *documentBuilder) successResponse(route httpapi.Route, shown []httpapi.Example) *huma.Response {
	r := &huma.Response{Description: http.StatusText(route.Status),
		Headers: map[string]*huma.Header{"X-Request-Id": headerRef("RequestId")}}
	if route.HasETag {
		r.Headers["ETag"] = headerRef("ETag")
	}

	if route.Status == http.StatusCreated {
		r.Headers["Location"] = headerRef("Location")
	}

	if takesIdempotencyKey(route) {
		r.Headers["Idempotent-Replayed"] = headerRef("IdempotentReplayed")
	}

	content := func(mediaType string, schema *huma.Schema) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{mediaType: {Schema: schema, Examples: openAPIExamples(shown)}}
	}
	switch {
	case route.PlainMediaType != "":
		r.Content = content(route.PlainMediaType, b.plainSchema(route))
	case route.Response != nil:
		r.Content = content("application/json", b.envelopeSchema(route))
	}

	return r
}

// plainSchema returns the schema of a response without the envelope.
func (b *documentBuilder) plainSchema(route httpapi.Route) *huma.Schema {
	if route.Response != nil {
		return b.schemaOf(route.Response)
	}
	if strings.HasSuffix(route.PlainMediaType, "json") {
		return &huma.Schema{Type: huma.TypeObject}
	}
	return &huma.Schema{Type: huma.TypeString}
}

// envelopeSchema returns the schema of the envelope of a response.
func (b *documentBuilder) envelopeSchema(route httpapi.Route) *huma.Schema {
	data := b.schemaOf(route.Response)
	if !route.Paged && !route.CursorPaged && route.Meta != nil {
		return &huma.Schema{Type: huma.TypeObject, Required: []string{"data", "meta"},
			Properties: map[string]*huma.Schema{"data": data, "meta": b.schemaOf(route.Meta)}}
	}
	if !route.Paged && !route.CursorPaged {
		return &huma.Schema{Type: huma.TypeObject, Required: []string{"data"},
			Properties: map[string]*huma.Schema{"data": data}}
	}

	meta := b.schemaOf(httpapi.PageMeta{})
	switch {
	case route.Meta != nil:
		meta = b.schemaOf(route.Meta)
	case route.CursorPaged:
		meta = b.schemaOf(httpapi.CursorMeta{})
	}

	return &huma.Schema{Type: huma.TypeObject, Required: []string{"data", "meta"}, Properties: map[string]*huma.Schema{
		"data": {Type: huma.TypeArray, Items: data},
		"meta": meta,
	}}
}

func (b *documentBuilder) schemaOf(v any) *huma.Schema {
	t := reflect.TypeOf(v)
	return b.schemas.Schema(t, true, t.Name())
}

// componentSchemas returns the schemas of the components. It corrects the schemas that huma made: this API ignores
// unknown members and has no lists that are null, and members appear in the order of the JSON.
func (b *documentBuilder) componentSchemas() orderedObject {
	var list orderedObject
	docs := maps.Clone(b.about.Docs)
	for name, s := range b.schemas.Map() {
		relaxSchema(s)
		t := b.schemas.TypeFromRef(schema.Prefix + name)
		if t == nil {
			list = append(list, objectMember{name, s})
			continue
		}

		if note, ok := t.FieldByName("_"); ok {
			s.Description = note.Tag.Get("doc")
		}

		var properties orderedObject
		var required []string
		for _, f := range jsonMembers(t) {
			p := s.Properties[f.json]
			if p == nil {
				continue
			}

			if doc, ok := docs[name+"."+f.json]; ok {
				p.Description = doc
				delete(docs, name+"."+f.json)
			}

			properties = append(properties, objectMember{f.json, correctMarshalled(f.StructField, p)})
			if slices.Contains(s.Required, f.json) {
				required = append(required, f.json)
			}
		}

		shown := *s
		shown.Required = required
		shown.Properties = nil
		shown.Extensions = map[string]any{"properties": properties}
		list = append(list, objectMember{name, &shown})
	}

	for name := range docs {
		panic("openapi: About.Docs describes " + name + ", which no schema has")
	}

	slices.SortFunc(list, func(a, b objectMember) int { return strings.Compare(a.name, b.name) })
	return list
}

// relaxSchema allows unknown members and forbids null lists in a schema and its subschemas.
func relaxSchema(s *huma.Schema) {
	if s == nil {
		return
	}

	if closed, ok := s.AdditionalProperties.(bool); ok && !closed {
		s.AdditionalProperties = nil
	}

	if s.Type == huma.TypeArray {
		s.Nullable = false
	}

	relaxSchema(s.Items)
	for _, p := range s.Properties {
		relaxSchema(p)
	}

	for _, p := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		relaxSchema(p)
	}
}

// structMember is a field of a struct and its name in JSON.
type structMember struct {
	reflect.StructField
	json string
}

// jsonMembers returns the fields of a struct that are members of its JSON object, in their order. The fields of an
// embedded struct take its position.
func jsonMembers(t reflect.Type) []structMember {
	var list []structMember
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && f.IsExported() {
			list = append(list, structMember{f, name})
		}
	}
	return list
}

// correctMarshalled corrects huma's schema of a struct field. It is needed for structs that are marshalled, whose
// fields are not the value types of package schema. A typed identifier gets the schema of ID. A pointer to an object
// may be null, unless a nil pointer is omitted.
func correctMarshalled(f reflect.StructField, s *huma.Schema) *huma.Schema {
	switch {
	case isTypedID(f.Type):
		typed := schema.ID{}.Schema(nil)
		typed.Description = cmp.Or(s.Description, typed.Description)
		return typed
	case f.Type.Kind() == reflect.Pointer && s.Ref != "" && !strings.Contains(f.Tag.Get("json"), ",omit"):
		return &huma.Schema{AnyOf: []*huma.Schema{{Ref: s.Ref}, {Type: "null"}}, Description: s.Description}
	}
	return s
}

// isTypedID reports whether t is an instance of id.Of.
func isTypedID(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[id.Of[any]]().PkgPath() && strings.HasPrefix(t.Name(), "Of[")
}

func openAPIExamples(list []httpapi.Example) map[string]*huma.Example {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]*huma.Example, len(list))
	for i, e := range list {
		// The keys are sorted in the document. Numbered keys keep the order.
		m["example"+strconv.Itoa(i+1)] = &huma.Example{Summary: e.Name, Value: json.RawMessage(e.JSON)}
	}
	return m
}

// openAPIPath converts a pattern of http.ServeMux to a path of OpenAPI.
func openAPIPath(pattern string) string {
	return strings.ReplaceAll(strings.ReplaceAll(pattern, "{$}", ""), "...}", "}")
}

var pathParamPattern = regexp.MustCompile(`\{(\w+)(?:\.\.\.)?\}`)

func pathParams(pattern string) []string {
	var names []string
	for _, m := range pathParamPattern.FindAllStringSubmatch(pattern, -1) {
		names = append(names, m[1])
	}
	return names
}

func isID(param string) bool { return param == "id" || strings.HasSuffix(param, "_id") }
