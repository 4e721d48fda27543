package panel_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sightline-analytics/sightline/panel"
)

// A host redirects its customers, whom it has signed in, to the numbers of their website.
func ExampleLink() {
	// POST /v1/tokens, with a key that only the host has
	mint := func(customer string) (token, website string, err error) {
		return "sl_t_ofCustomer", "web_shop", nil
	}
	statistics := func(w http.ResponseWriter, r *http.Request) {
		token, website, err := mint("cus_1")
		if err != nil {
			http.Error(w, "statistics are not available", http.StatusBadGateway)
			return
		}
		http.Redirect(w, r, panel.Link("/stats/", token, website), http.StatusSeeOther)
	}
	w := httptest.NewRecorder()
	statistics(w, httptest.NewRequest(http.MethodGet, "/statistics", http.NoBody))
	fmt.Println(w.Header().Get("Location"))
	// Output: /stats/#token=sl_t_ofCustomer&website=web_shop
}
