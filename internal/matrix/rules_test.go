package matrix

import (
	"maps"
	"testing"
)

// The rules of wants for routes of the API.
const (
	public         = "public"
	byKey          = "key"     // lists of what the key reads
	byAnyKey       = "any key" // and any panel token
	byOwnKey       = "own key" // a key that reads something
	bySubject      = "subject" // the website, link or monitor in the address
	byWholeSubject = "whole subject"
	byExport       = "export"
	byErase        = "erase"
	byPath         = "path" // the website in the path
	byDefiner      = "definer"
	byNotifier     = "notifier" // a definer that reads all rows
	byKeyManager   = "key manager"
	bySiteManager  = "site manager"
	byAuditor      = "auditor"
	byClientKey    = "client key"
	byKeyOrClient  = "key or client"
)

// rules has the rule of every route of the API. It is written by hand, because a table that follows from the permission
// that a route names would expect the answers of a wrong one.
var rules = map[string]string{
	"POST /v1/query":                               bySubject,
	"GET /v1/query":                                bySubject,
	"POST /v1/query/compile":                       byWholeSubject,
	"GET /v1/query/types":                          public,
	"GET /v1/query/websites":                       byKey,
	"GET /v1/query/links":                          byKey,
	"GET /v1/query/monitors":                       byKey,
	"GET /v1/websites/{website_id}/analytics":      byPath,
	"GET /v1/export":                               byExport,
	"DELETE /v1/visitors/{id}":                     byErase,
	"POST /v1/tokens":                              byOwnKey,
	"GET /v1/self":                                 byAnyKey,
	"GET /v1/tracker":                              public,
	"GET /v1/openapi.json":                         public,
	"GET /health":                                  public,
	"GET /health/live":                             public,
	"GET /v1/websites":                             bySiteManager,
	"POST /v1/websites":                            bySiteManager,
	"GET /v1/websites/{website_id}":                bySiteManager,
	"PATCH /v1/websites/{website_id}":              bySiteManager,
	"DELETE /v1/websites/{website_id}":             bySiteManager,
	"GET /v1/websites/{website_id}/definitions":    byPath,
	"POST /v1/websites/{website_id}/definitions":   byDefiner,
	"DELETE /v1/websites/{website_id}/definitions": byDefiner,
	"GET /v1/websites/{website_id}/notices":        byNotifier,
	"POST /v1/websites/{website_id}/notices":       byNotifier,
	"GET /v1/notices/end":                          public,
	"POST /v1/notices/end":                         public,
	"GET /v1/keys":                                 byKeyManager,
	"POST /v1/keys":                                byKeyManager,
	"GET /v1/keys/{id}":                            byKeyManager,
	"PATCH /v1/keys/{id}":                          byKeyManager,
	"DELETE /v1/keys/{id}":                         byKeyManager,
	"POST /v1/keys/{id}/rotate":                    byKeyManager,
	"GET /v1/audit":                                byAuditor,
	"GET /public/v1/flags/definitions":             byClientKey,
	"POST /public/v1/flags":                        byClientKey,
	"PATCH /public/v1/flags/{id}":                  byClientKey,
	"DELETE /public/v1/flags/{id}":                 byClientKey,
	"GET /public/v1/flags/evaluate":                byKeyOrClient,
	"GET /public/v1/flags/bulk":                    byKeyOrClient,
	"POST /public/v1/flags/bulk":                   byKeyOrClient,
	"POST /ofrep/v1/evaluate/flags/{key}":          byKeyOrClient,
	"POST /ofrep/v1/evaluate/flags":                byKeyOrClient,
	"GET /public/v1/flags/health":                  public,
}

// TestEveryRouteHasARule checks that rules has the routes of the API and no others.
func TestEveryRouteHasARule(t *testing.T) {
	left := maps.Clone(rules)
	for _, r := range routes() {
		if r.host != hostAPI {
			continue
		}
		if r.access == "" {
			t.Errorf("add the rule of %s to rules", r)
		}
		delete(left, r.method+" "+r.path)
	}
	if len(left) > 0 {
		t.Errorf("rules has routes that do not exist: %v", left)
	}
}
