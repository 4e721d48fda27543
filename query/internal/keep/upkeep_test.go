package keep

import (
	"testing"

	"github.com/sightline-analytics/sightline/query/internal/days"
)

func TestUpkeep(t *testing.T) {
	for _, row := range []struct {
		day   dayView
		state dayState
		do    action
	}{
		{dayView{}, "sealed", wait},
		{dayView{asked: true, overdue: true, complete: true}, "sealed", wait},
		{dayView{seal: days.Changing}, "changing", wait},
		{dayView{seal: days.Changing, fragmented: true, complete: true}, "changing", wait},
		{dayView{seal: days.Changing, overdue: true}, "changing", sealChanged},
		{dayView{seal: days.Changing, asked: true}, "asked", sealChanged},
		{dayView{seal: days.Stale}, "due", sealChanged},
		{dayView{seal: days.Stale, fragmented: true, complete: true}, "due", sealChanged},
		{dayView{seal: days.Stale, asked: true}, "asked", sealChanged},
		{dayView{fragmented: true}, "fragmented", wait},
		{dayView{fragmented: true, quiet: true}, "fragmented", wait},
		{dayView{fragmented: true, quiet: true, complete: true}, "fragmented", sealWhole},
		{dayView{quiet: true}, "quiet", loadStates},
		{dayView{quiet: true, complete: true}, "settled", storeStates},
	} {
		if state, do := row.day.next(); state != row.state || do != row.do {
			t.Errorf("%+v is %s and needs action %d, want %s and %d", row.day, state, do, row.state, row.do)
		}
	}
}
