package reference

import "testing"

func TestOutcomes(t *testing.T) {
	d := NewData(read(t, `
		01T08:00:00 custom o0 a=anna name=bought props={"flag_key":"new","variant":"a","status":"ok"}
		01T09:00:00 custom e1 a=anna path=/ name=$flag_evaluated props={"flag":"new","variant":"a"}
		01T09:00:00 custom e2 a=anna path=/ name=$flag_evaluated props={"flag":"new","variant":"b"}
		01T09:00:00 custom o1 a=anna name=bought props={"flag_key":"new","variant":"b"}
		01T09:01:00 custom o2 a=anna name=bought props={"flag_key":"new","variant":"a","status":"bad"}
		01T09:02:00 custom o3 a=anna name=bought props={"flag_key":"new"}
		01T10:00:00 custom e3 a=ben path=/docs name=$flag_evaluated props={"flag":"new","variant":"a"}
		01T10:01:00 custom o4 a=ben name=left
		01T11:00:00 custom e4 a=carl path=/ name=$flag_evaluated props={"flag":"dark","enabled":true}
		01T11:00:00 custom e5 path=/ name=$flag_evaluated props={"flag":"dark","enabled":true}`))
	// k among n is 1 of 2, and 0 of 1.
	for _, w := range []wanted{
		{why: "by outcome events", name: "flag_outcomes", rows: `
			{"flag":"new","variant":"a","visitors":2,"converted":1,"conversion_rate":50,"conversion_low":9.45,"conversion_high":90.55,"statuses":[{"status":"bad","visitors":1}]}
			{"flag":"dark","variant":"true","visitors":1,"converted":0,"conversion_rate":0,"conversion_low":0,"conversion_high":79.35,"statuses":[]}`},
		{why: "by a named event, of any flag", name: "flag_outcomes", ask: where("event_name", "eq", "left"), rows: `
			{"flag":"new","variant":"a","visitors":2,"converted":1,"conversion_rate":50,"conversion_low":9.45,"conversion_high":90.55,"statuses":[]}
			{"flag":"dark","variant":"true","visitors":1,"converted":0,"conversion_rate":0,"conversion_low":0,"conversion_high":79.35,"statuses":[]}`},
		{why: "of visitors exposed on a page", name: "flag_outcomes", ask: where("path", "eq", "/docs"), rows: `
			{"flag":"new","variant":"a","visitors":1,"converted":0,"conversion_rate":0,"conversion_low":0,"conversion_high":79.35,"statuses":[]}`},
	} {
		w.check(t, d)
	}
}
