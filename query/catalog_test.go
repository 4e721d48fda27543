package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

func TestNewRegistryReportsEveryFault(t *testing.T) {
	whole := query.Builtin()[0]
	for _, c := range []struct {
		name   string
		change func(*query.Type)
		want   string
	}{
		{"no title", func(ty *query.Type) { ty.Title = "" },
			"Name, Title, Description, Category and Visualization are required"},
		{"a word that nobody's search becomes", func(ty *query.Type) { ty.AlsoCalled = []string{"top_ten"} },
			`AlsoCalled: "top_ten" is not a word in lower case without separators`},
		{"no shape", func(ty *query.Type) { ty.Shape = "" }, "Shape is \"\", not totals"},
		{"a breakdown by nothing", func(ty *query.Type) { ty.Shape = query.Breakdown }, "a breakdown needs Dimensions"},
		{"no such table", func(ty *query.Type) { ty.Source = "pageview" }, `table "pageview" does not exist`},
		{"a table of another subject", func(ty *query.Type) { ty.Subject = store.KindLink },
			`table "pageviews" is not of a link`},
		{"no such column", func(ty *query.Type) { ty.Columns = append(ty.Columns, "views") },
			`column "views" does not exist`},
		{"a column twice", func(ty *query.Type) { ty.Columns = append(ty.Columns, "date") },
			`two columns are called "date"`},
		{"a series without date", func(ty *query.Type) { ty.Columns = []string{"pageviews"} },
			`a series needs a column "date"`},
		{"a series with keys", func(ty *query.Type) { ty.Dimensions = []string{"path"} },
			"only a breakdown has Dimensions"},
		{"no such dimension", func(ty *query.Type) {
			ty.Shape = query.Breakdown
			ty.Dimensions = []string{"duration_range"}
		}, `has no dimension "duration_range"`},
		{"a dimension that nothing has", func(ty *query.Type) {
			ty.Shape = query.Breakdown
			ty.Dimensions = []string{"colour"}
		}, `dimension "colour" does not exist`},
		{"a dimension that a table beside its own lacks", func(ty *query.Type) {
			ty.Shape, ty.Source, ty.Joins, ty.Dimensions, ty.Columns = query.Breakdown, "clicks", []string{"sessions"},
				[]string{"href"}, []string{"href", "total_clicks", "sessions"}
		}, `table "sessions" has no dimension "href"`},
		{"nothing that counts", func(ty *query.Type) { ty.Columns = []string{"date"} },
			`no column counts rows of table "pageviews"`},
		{"nothing that counts its own rows", func(ty *query.Type) {
			ty.Shape, ty.Dimensions, ty.Columns, ty.Order = query.Breakdown, []string{"path"},
				[]string{"path", "total_events"}, []string{"path"}
		}, `no column counts rows of table "pageviews"`},
		{"days without a series", func(ty *query.Type) { ty.Shape = query.Totals },
			"only a series has the column date"},
		{"a share of rows that are not counted", func(ty *query.Type) {
			ty.Shape, ty.Columns = query.List, []string{"path", "percentage"}
		}, "a list has no column percentage"},
		{"a column of a dimension it lacks", func(ty *query.Type) { ty.Columns = append(ty.Columns, "path") },
			`column "path" needs "path"`},
		{"a column of a metric it lacks", func(ty *query.Type) { ty.Joins = []string{"activity"} },
			`column "pages_per_session" needs "sessions"`},
		{"ordered by nothing it has", func(ty *query.Type) { ty.Order = []string{"-clicks"} }, `Order names "clicks"`},
		{"all values of none", func(ty *query.Type) { ty.ZeroFill = true },
			"ZeroFill needs Values, or dimensions that are parts of local time"},
		{"a limit that no request may have", func(ty *query.Type) { ty.Limit = -1 }, "Limit is -1"},
		{"values of two dimensions", func(ty *query.Type) { ty.Values = []string{"x"} },
			"Values needs exactly one dimension"},
		{"a condition that is no metric", func(ty *query.Type) { ty.SkipZero = "clicks" }, `SkipZero names "clicks"`},
		{"a filter it cannot have", func(ty *query.Type) { ty.RequiredFilter = "href" }, `RequiredFilter names "href"`},
		{"a series by the clock", func(ty *query.Type) { ty.Window = query.Today },
			"a series has the range of its request"},
		{"a key that is no column", func(ty *query.Type) { ty.TieBreak = []string{"x"} }, `TieBreak names "x"`},
		{"a share of nothing", func(ty *query.Type) {
			ty.Columns = append(ty.Columns, "percentage")
			ty.ShareOf = "x"
		}, `share of "x"`},
		{"a share of itself", func(ty *query.Type) {
			ty.Columns = append(ty.Columns, "percentage")
			ty.ShareOf = "percentage"
		}, "which is not another of its columns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := whole
			bad.Columns = append([]string(nil), whole.Columns...)
			c.change(&bad)
			_, err := query.NewRegistry(bad, query.Type{Name: "empty"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a fault with %q", err, c.want)
			}
			if err == nil || !strings.Contains(err.Error(), `query type "empty"`) {
				t.Errorf("the faults of the other row are missing: %v", err)
			}
		})
	}
	if _, err := query.NewRegistry(whole, whole); err == nil || !strings.Contains(err.Error(), "the name is taken") {
		t.Errorf("a name twice: %v", err)
	}
}

// Every column is described for panels and people, and no two columns of a type have the same label.
func TestColumnsAreDescribed(t *testing.T) {
	for _, info := range engine(t).Types() {
		labels, primary := map[string]string{}, map[query.Role]int{}
		for _, f := range info.Output {
			if f.Description == "" {
				t.Errorf("%s: column %s has no description", info.Name, f.Name)
			}
			if other, taken := labels[f.Label]; taken {
				t.Errorf("%s: %s and %s are both called %q", info.Name, other, f.Name, f.Label)
			}
			labels[f.Label] = f.Name
			if f.Primary {
				primary[f.Role]++
			}
		}
		for _, role := range []query.Role{query.DimensionRole, query.MetricRole} {
			has := slices.ContainsFunc(info.Output, func(f query.OutputField) bool { return f.Role == role })
			if want := map[bool]int{true: 1}[has]; primary[role] != want {
				t.Errorf("%s: %d primary columns of role %s, want %d", info.Name, primary[role], role, want)
			}
		}
	}
}

func TestAliases(t *testing.T) {
	want := map[string]string{
		"summary_metrics.unique_visitors": "visitors", "pages.name": "path", "entry_pages.pageviews": "sessions",
		"entry_pages.name": "path",
		"cities.name":      "city", "cities.country": "country_name", "traffic.name": "", "browser_name.name": "",
		"pages.visitors":                "",
		"link_top_regions.country_name": "country",
	}
	for _, info := range engine(t).Types() {
		for _, f := range info.Output {
			if of, ok := want[info.Name+"."+f.Name]; ok && of != f.AliasOf {
				t.Errorf("%s.%s is an alias of %q, want %q", info.Name, f.Name, f.AliasOf, of)
			}
			delete(want, info.Name+"."+f.Name)
		}
	}
	for name := range want {
		t.Errorf("there is no column %s", name)
	}
}
