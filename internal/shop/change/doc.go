// Package change tells clients what changed in the catalogue of a store, so that they know which copies are out of
// date: by versions, which GET /v2/changes answers, and by the event catalog.changed. It owns the tables of the changes
// that clients see, and takes them from what transactions have left: the log of changed products, the versions of the
// catalogue, touched and deleted products. It does not own these; see packages catalog and store.
//
//	service.go          the service and its dependencies
//	collect*.go         takes the changes since the last version of a store into a new one
//	block*.go           the last version that changed each product, by blocks of keys
//	page*.go            the changes since a version, page by page
//	worker*.go          finds the stores that changed, collects and announces
//	retention*.go       what is not kept any more
//	tag.go              the tags of cached responses
package change
