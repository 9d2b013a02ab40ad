package spec

import "vitrine/internal/api/httpapi"

func example(name, text string) []httpapi.Example { return []httpapi.Example{{Name: name, JSON: text}} }

// Parts of the examples.
const (
	exampleStoreID   = "019a8269-0000-7c11-8f2a-3d5b9e1c7a01"
	exampleSizeID    = "019a8269-7a12-7d3e-9c55-0b6a4f1d2e01"
	exampleSizeM     = "019a8269-7a12-7d40-a1b7-6f2c8d9e0b11"
	exampleSizeXL    = "019a8269-7a12-7d41-b3c4-1e5f7a8b9c12"
	exampleWeightID  = "019a8269-8b20-7f10-8a11-2c3d4e5f6a01"
	exampleWeight022 = "019a8269-8b20-7f11-9b22-3d4e5f6a7b11"
	exampleWeight15  = "019a8269-8b20-7f12-ac33-4e5f6a7b8c12"
	exampleShirtID   = "019a8269-9c30-7a01-8d44-5f6a7b8c9d01"
	exampleShirtM    = "019a8269-9c30-7a02-9e55-6a7b8c9d0e11"
	exampleShirtXL   = "019a8269-9c30-7a03-af66-7b8c9d0e1f12"

	exampleDate = `{"timezone":"Europe/Moscow","datetime_utc":"2026-11-14 12:00:05","datetime":"2026-11-14 15:00:05","datetime_at":"14.11.2026 at 15:00",` +
		`"date":"14.11.2026","diff":"2 minutes ago","timestamp":1794657605,"iso_utc":"2026-11-14T12:00:05+00:00","iso":"2026-11-14T15:00:05+03:00"}`
	// exampleStore is a store up to where its settings would stand.
	exampleStore = `{"id":"` + exampleStoreID + `","name":"North Shop","timezone":"Europe/Moscow","locale":"en","currency":"EUR","site_url":"https://shop.example","created_at":` + exampleDate +
		`,"updated_at":` + exampleDate
	exampleMeta = `"meta":{"current_page":1,"per_page":50,"last_page":1,"total":`
)
