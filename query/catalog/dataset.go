package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
)

// A Dataset is one kind of rows, of which callers choose metrics and dimensions. Its metrics are those of its tables,
// and its dimensions are the fields of Source that groupBy takes.
type Dataset struct {
	Name        string
	Title       string
	Description string // one sentence
	Subject     store.SubjectKind
	Source      string   // the table whose rows it counts
	Joins       []string // further tables with metrics; a metric that Source has, too, is that of Source
	Also        []string // further names of metrics, as "pageviews=sessions"
	// entry_page or exit_page: the pageview whose dimensions a session counts for; empty: all pageviews of a session
	Door expr.Ident
}

// datasets are what callers choose of, each once.
var datasets = []*Dataset{
	{Name: "pageviews", Title: "Pageviews", Description: "Views of pages, with the sessions that have them",
		Subject: store.KindWebsite, Source: "pageviews", Joins: []string{"sessions", "activity", "stays", "exits"}},
	{Name: "entries", Title: "Entries", Description: "Sessions by their first pageview",
		Subject: store.KindWebsite, Source: "sessions", Also: []string{"pageviews=sessions"}, Door: "entry_page"},
	{Name: "exits", Title: "Exits", Description: "Sessions by their last pageview",
		Subject: store.KindWebsite, Source: "sessions", Also: []string{"pageviews=sessions"}, Door: "exit_page"},
	{Name: "sessions", Title: "Sessions", Description: "Sessions that began in the range and have a pageview",
		Subject: store.KindWebsite, Source: "sessions"},
	{Name: "events", Title: "Custom events", Description: "Custom events, with the numbers in their properties",
		Subject: store.KindWebsite, Source: "custom"},
	{Name: "clicks", Title: "Clicks", Description: "Clicks on outgoing links", Subject: store.KindWebsite,
		Source: "clicks"},
	{Name: "errors", Title: "Errors", Description: "JavaScript errors", Subject: store.KindWebsite, Source: "errors"},
	{Name: "vitals", Title: "Web vitals", Description: "Samples of web vitals", Subject: store.KindWebsite,
		Source: "vitals"},
	{Name: "link_visits", Title: "Link visits", Description: "Uses of a short link", Subject: store.KindLink,
		Source: "visits"},
	{Name: "checks", Title: "Checks", Description: "Checks of a monitor", Subject: store.KindSchedule, Source: "checks",
		Joins: []string{"outages"}},
	{Name: "blocked", Title: "Blocked traffic", Description: "Ignored and refused requests to tracking",
		Subject: store.KindWebsite, Source: "blocked"},
}

// DatasetNamed returns the dataset called name, or nil.
func DatasetNamed(name string) *Dataset {
	if i := slices.IndexFunc(datasets, func(d *Dataset) bool { return d.Name == name }); i >= 0 {
		return datasets[i]
	}
	return nil
}

// DatasetNames returns the names of the datasets of a kind of subject.
func DatasetNames(kind store.SubjectKind) (names []string) {
	for _, d := range datasets {
		if d.Subject == kind {
			names = append(names, d.Name)
		}
	}
	return names
}

// AllDatasets returns the names of the datasets.
func AllDatasets() []string {
	names := make([]string, len(datasets))
	for i, d := range datasets {
		names[i] = d.Name
	}
	return names
}

// Events reports whether the rows of d are events, or sessions of these, so that they have a name and properties.
func (d *Dataset) Events() bool { return TableNamed(d.Source).Events }

// HasPropertyMetrics reports whether there are metrics of the properties of rows.
func (d *Dataset) HasPropertyMetrics() bool {
	return d.Events() && TableNamed(d.Source).Rows == PlainRows
}

// dimensions returns the fields of d, in the order of the catalog, without properties and the date.
func (d *Dataset) dimensions(own []*Field) (found []*Field) {
	tb := TableNamed(d.Source)
	for _, f := range slices.Concat(fields, own) {
		id := f.Name == "session_id" || f.Name == "anonymous_id" || f.Name == "profile_id"
		if named := f.Name == "event_name" && d.Events(); named || tb.Has(f) && !id {
			found = append(found, d.shown(f))
		}
	}
	return found
}

// shown returns the field whose values d shows as f: of a door, the page is the session's.
func (d *Dataset) shown(f *Field) *Field {
	if f.Name != "path" || d.Door == "" {
		return f
	}
	door := *FieldNamed(string(d.Door))
	door.Shown = f.Name
	return &door
}

// dimension returns the field that is the dimension called name, or nil.
func (d *Dataset) dimension(name string, own []*Field) *Field {
	all := d.dimensions(own)
	if i := slices.IndexFunc(all, func(f *Field) bool { return f.ShownAs() == name }); i >= 0 {
		return all[i]
	}
	if d.Events() {
		return PropertyNamed(name)
	}
	return nil
}

// metric returns the metric called name, or nil.
func (d *Dataset) metric(catalog metricsByKey, name string) *BoundMetric {
	for _, also := range d.Also {
		if shown, source, _ := strings.Cut(also, "="); shown == name {
			name = source
		}
	}
	m := d.lookUp(catalog, name)
	if m == nil || m.PerRow || m.NameOf != "" || m.PreciseFor != "" || m.Format != Integer && m.Format != Number &&
		m.Format != DateTime {
		return nil
	}
	if m.source != "" || m.isShare {
		return m
	}
	refs := expr.Refs(m.Expr)
	known := func(name string) bool {
		of := d.lookUp(catalog, name)
		return of != nil && of.source != ""
	}
	if m.isDate || len(refs) == 0 ||
		slices.ContainsFunc(refs, func(name string) bool { return FieldNamed(name) != nil || !known(name) }) {
		return nil
	}
	return m
}

func (d *Dataset) lookUp(catalog metricsByKey, name string) *BoundMetric {
	for _, on := range slices.Concat([]string{d.Source, ""}, d.Joins) {
		if m := catalog[metricKey{on, name, false}]; m != nil {
			return m
		}
	}
	return nil
}

// metricNames returns the names of the metrics of d without those of properties: first those of Source, percentage
// last; counts before other numbers.
func (d *Dataset) metricNames(catalog metricsByKey) []string {
	names := map[string]bool{}
	for key := range catalog {
		if d.metric(catalog, key.name) != nil {
			names[key.name] = true
		}
	}
	for _, also := range d.Also {
		shown, _, _ := strings.Cut(also, "=")
		names[shown] = true
	}
	place := func(name string) int {
		switch m := d.metric(catalog, name); {
		case m.isShare:
			return 2
		case m.source == d.Source:
			return 0
		}
		return 1
	}
	kind := func(name string) int { return strings.Compare(string(d.metric(catalog, name).Format), string(Integer)) }
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(max(kind(a), -kind(a)), max(kind(b), -kind(b))),
			strings.Compare(a, b))
	})
}

// DatasetInfo describes a dataset to callers.
type DatasetInfo struct {
	Name, Title, Description string
	Subject                  store.SubjectKind
	Dimensions               []OutputField // date and those that are no properties
	Metrics                  []OutputField // without those of properties
	// what can be computed of a property; empty if rows have no properties, or are sessions
	PropertyMetrics []string
	Properties      bool     // property:KEY is a dimension and a field of filters
	Filters         []string // fields of filters, without properties
}

// Datasets describes the datasets, with the definitions of the host of r.
func (r *Registry) Datasets() []DatasetInfo {
	all := make([]DatasetInfo, len(datasets))
	for i, d := range datasets {
		info := DatasetInfo{Name: d.Name, Title: d.Title, Description: d.Description, Subject: d.Subject,
			Properties: d.Events()}
		info.Dimensions = []OutputField{r.metrics[metricKey{name: DateColumn}].field(DimensionRole)}
		for _, f := range d.dimensions(r.own) {
			info.Dimensions = append(info.Dimensions,
				OutputField{Name: f.ShownAs(), Role: DimensionRole, Type: String, Label: words(f.ShownAs()),
					Description: f.About})
		}
		for _, name := range d.metricNames(r.metrics) {
			shown := d.metric(r.metrics, name).field(MetricRole)
			if shown.Name != name {
				shown.Name, shown.Label = name, words(name)
			}
			info.Metrics = append(info.Metrics, shown)
		}
		if d.HasPropertyMetrics() {
			info.PropertyMetrics = propertyFunctions()
		}
		tb := TableNamed(d.Source)
		for _, f := range slices.Concat(fields, r.own) {
			if tb.Has(f) || f.Name == "event_name" && d.Events() {
				info.Filters = append(info.Filters, f.Name)
			}
		}
		all[i] = info
	}
	return all
}
