package storeapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/address"
	"vitrine/internal/shop/store"
)

const (
	sitemapHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	// sitemapNamespace is that of both kinds of files.
	sitemapNamespace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
)

// sitemapIndex responds with the list of the files of the sitemap.
func (api *API) sitemapIndex(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Param("key")
	return api.respondSitemap(w, r, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		n, err := address.SitemapFiles(ctx, tx, r.Principal.Store)
		if err != nil {
			return err
		}

		out.B = append(out.B, sitemapHead+"<sitemapindex "+sitemapNamespace+">\n"...)
		for file := range n {
			loc := r.BaseURL(api.publicURL) + "/v2/sitemap/" + strconv.FormatInt(file+1, 10) + ".xml" + sitemapKey(r)
			out.B = appendXML(append(out.B, "<sitemap><loc>"...), loc)
			out.B = append(out.B, "</loc></sitemap>\n"...)
		}
		out.B = append(out.B, "</sitemapindex>\n"...)
		return nil
	})
}

// sitemapFile responds with one file of the sitemap.
func (api *API) sitemapFile(w http.ResponseWriter, r *httpapi.Request) error {
	r.Query.Param("key")
	name, isXML := strings.CutSuffix(r.PathValue("file"), ".xml")
	number, err := strconv.ParseInt(name, 10, 64)
	if !isXML || err != nil {
		return fault.New(fault.NotFound, "not_found", "Files of a sitemap have names such as 1.xml.")
	}

	return api.respondSitemap(w, r, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		out.B = append(out.B, sitemapHead+"<urlset "+sitemapNamespace+">\n"...)
		err := address.SitemapFile(ctx, tx, r.Principal.Store, number, func(e address.SitemapEntry) error {
			out.B = appendXML(append(out.B, "<url><loc>"...), e.URL)
			out.B = append(out.B, "</loc>"...)
			if !e.ChangedAt.IsZero() {
				out.B = e.ChangedAt.UTC().AppendFormat(append(out.B, "<lastmod>"...), time.RFC3339)
				out.B = append(out.B, "</lastmod>"...)
			}
			out.B = append(out.B, "</url>\n"...)
			return out.Spill()
		})
		out.B = append(out.B, "</urlset>\n"...)
		return err
	})
}

// respondSitemap responds with what fn writes, or with a 304 if the client has what is written at this state of the
// catalogue.
func (api *API) respondSitemap(
	w http.ResponseWriter, r *httpapi.Request,
	fn func(ctx context.Context, tx store.Tx, out *httpapi.Response) error,
) error {
	if err := r.Err(); err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "public, max-age=0, must-revalidate")
	return r.ReadCatalog(w, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		v, err := store.FindVersions(ctx, tx)
		if err != nil {
			return err
		}
		state := fmt.Sprint(v.Products, v.ChangedAt, v.Categories, v.CategoriesStamp, r.Principal.Store.Version,
			r.BaseURL(api.publicURL), r.URL.RequestURI(), sitemapKey(r))
		digest := sha256.Sum256([]byte(state))
		if out.NotModified(base64.RawURLEncoding.EncodeToString(digest[:16])) {
			return nil
		}
		out.Type = "application/xml"
		return fn(ctx, tx, out)
	})
}

// sitemapKey returns the query of the addresses of files: the publishable key of the request.
func sitemapKey(r *httpapi.Request) string {
	token, ok := httpapi.Bearer(r.Request)
	if !ok || r.Principal.Kind != access.PublishableKey {
		return ""
	}
	return "?key=" + url.QueryEscape(token)
}

// appendXML appends a text as the content of an element.
func appendXML(b []byte, text string) []byte {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // a buffer never fails
	return append(b, escaped.Bytes()...)
}
