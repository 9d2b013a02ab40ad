package storeapi

import "vitrine/internal/httpapi"

func describe(routes []httpapi.Route) []httpapi.Route { return routes }
