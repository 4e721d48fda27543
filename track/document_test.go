package track

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDocumentHasEveryRoute compares the document with the table of routes.
func TestDocumentHasEveryRoute(t *testing.T) {
	for _, profiles := range []Profiles{nil, nowhere{}} {
		js, err := Document(Config{Profiles: profiles}, "/ingest")
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Paths map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(js, &doc); err != nil {
			t.Fatal(err)
		}
		left := len(doc.Paths)
		for _, r := range Routes() {
			_, found := doc.Paths["/ingest"+r.Path][strings.ToLower(r.Method)]
			if exists := profiles != nil || r.Path != "/identify"; found != exists {
				t.Errorf("%s %s: in the document %v, want %v", r.Method, r.Path, found, exists)
			}
			if found {
				left--
			}
		}
		if left != 0 {
			t.Errorf("the document has %d more paths than the table of routes", left)
		}
	}
}
