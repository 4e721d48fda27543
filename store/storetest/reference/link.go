package reference

import "cmp"

func (a *evaluation) visits() *table {
	visits := a.among(of(visit))
	g := fill[int](a, visits)
	for _, r := range visits {
		*at(a, g, a.combination(r), r.at)++
	}
	return lay(a, g, func(n *int) []value { return []value{count(*n)} })
}

// unknown is the name for all visits without a place, a device or a browser.
const unknown = "Unknown"

// visitsBy counts visits by key. shown returns the cells before the clicks.
func (a *evaluation) visitsBy(key func(*row) []string, shown func([]string) []string, keys ...string) *table {
	g := tallies[int](a, len(keys))
	sum := 0
	for _, r := range a.among(of(visit)) {
		g.open(a.combination(r), key(r)...).tally++
		sum++
	}
	t := a.ordered("clicks", keys...)
	for _, one := range g.list {
		cells := append(texts(one.combination), texts(shown(one.key))...)
		t.rows = append(t.rows, append(cells, count(one.tally), ratio(100*one.tally, sum)))
	}
	return t
}

func (a *evaluation) linkReferrers() *table {
	return a.visitsBy(
		func(r *row) []string { return []string{r.get("referrer"), ""} },
		func(k []string) []string { return append([]string{a.sourceName(k)}, a.sourceCells(k)...) },
		"name", "source")
}

// placeOf is like by, but with empty fields for a visit whose last field is empty.
func placeOf(fields ...string) keyOf {
	known := by(fields...)
	return func(r *row) []string {
		if k := known(r); k != nil {
			return k
		}
		return make([]string, len(fields))
	}
}

// shownPlace returns name, country, country code, country name, and the smaller places.
func (a *evaluation) shownPlace(k []string) []string {
	country := a.names.country(k[0])
	name := itself(k)
	if len(k) == 1 {
		name = country
	}
	return append([]string{cmp.Or(name, unknown), country, k[0], country}, k[1:]...)
}

func (a *evaluation) linkCountries() *table {
	return a.visitsBy(placeOf("country"), a.shownPlace, "country_code")
}

func (a *evaluation) linkRegions() *table {
	return a.visitsBy(placeOf("country", "region"), a.shownPlace, "country_code", "region")
}

func (a *evaluation) linkCities() *table {
	return a.visitsBy(placeOf("country", "region", "city"), a.shownPlace, "country_code", "region", "city")
}

func (a *evaluation) linkDevices() *table {
	return a.visitsBy(func(r *row) []string {
		id := r.get("device_type")
		return []string{cmp.Or(deviceNames[id], id, unknown)}
	}, func(k []string) []string { return k }, "name")
}

func (a *evaluation) linkBrowsers() *table {
	return a.visitsBy(func(r *row) []string {
		return []string{cmp.Or(r.get("browser_name"), unknown)}
	}, func(k []string) []string { return k }, "name")
}
