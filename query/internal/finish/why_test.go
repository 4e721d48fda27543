package finish

import (
	"testing"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// TestChanged has the example of the contract.
func TestChanged(t *testing.T) {
	ty := &catalog.BoundType{Outputs: []catalog.Output{{Name: "dimension", Format: catalog.String},
		{Name: "value", Format: catalog.String}, {Name: "current", Format: catalog.Integer, Zero: true},
		{Name: "previous", Format: catalog.Integer, Zero: true}, {Name: "difference", Format: catalog.Integer},
		catalog.NumberOutput("expected", "", "", ""), catalog.NumberOutput("weight", "", "", "")}}
	p := &plan.Plan{Type: ty, Limit: 20, Why: &plan.Why{MinWeight: 2, PerDimension: 5}}
	periods := func(dimension string, values map[string][2]int64) (by struct{ Now, Then Counted }) {
		p.Why.By = append(p.Why.By, plan.ChangeBy{Dimension: dimension})
		by.Now, by.Then = Counted{}, Counted{}
		for value, counts := range values {
			for i, n := range counts {
				if n > 0 {
					[]Counted{by.Now, by.Then}[i][value] = n
				}
			}
		}
		return by
	}
	by := []struct{ Now, Then Counted }{
		periods("channel", map[string][2]int64{"Email": {260, 80}, "Organic search": {480, 500}}),
		periods("path", map[string][2]int64{"/spring": {31, 0}, "/old": {0, 12}}),
		periods("country", map[string][2]int64{"AT": {9, 1}, "DE": {720, 600}}),
		periods("device_type", map[string][2]int64{"mobile": {700, 550}}),
	}
	whole := Change{Current: 1200, Previous: 1000}
	want := `[{"dimension":"channel","value":"Email","current":260,"previous":80,"difference":180,"expected":96,"weight":9.07},` +
		`{"dimension":"path","value":"/spring","current":31,"previous":0,"difference":31,"expected":0,"weight":6.16},` +
		`{"dimension":"channel","value":"Organic search","current":480,"previous":500,"difference":-20,"expected":600,"weight":-4.7},` +
		`{"dimension":"path","value":"/old","current":0,"previous":12,"difference":-12,"expected":14.4,"weight":-4.36},` +
		`{"dimension":"country","value":"AT","current":9,"previous":1,"difference":8,"expected":1.2,"weight":2.45}]`
	if got := string(Changed(p, whole, by).AppendJSON(nil)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p.Why.MinWeight, p.Limit = 0, 7
	if all := Changed(p, whole, by); all.Len() != 7 || all.More {
		t.Errorf("with every weight there are %d rows, more %t", all.Len(), all.More)
	}
	p.Why.PerDimension, p.Limit = 1, 2
	if few := Changed(p, whole, by); few.Len() != 2 || !few.More {
		t.Errorf("one row of each dimension, two in all: %d rows, more %t", few.Len(), few.More)
	}
	for i := range by {
		by[i].Then = by[i].Now
	}
	p.Why.MinWeight, p.Why.PerDimension, p.Limit = 0.01, 5, 20
	if same := Changed(p, Change{1200, 1200}, by); same.Len() != 0 {
		t.Errorf("equal periods: %s", same.AppendJSON(nil))
	}
}
