package matrix

import (
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
)

// A state has the credential of a caller and the requested resource.
type state struct {
	name   string
	sent   string // the credential's name in world.secrets; empty: none
	bearer bool   // as Authorization: Bearer, else as x-api-key
	junk   bool   // together with a malformed x-api-key
	id     string // of the resource
	not    string // a kind of resource without this state
	// judged says why the credential is invalid. All reasons get the same answer.
	judged verdict
	fault  fault // another problem of the request
}

// A verdict says why a credential is invalid, and so which fields the audit trail has.
type verdict int

const (
	accepted  verdict = iota
	absent            // no credential
	anonymous         // not a key
	startOnly         // well-formed, but of an unknown key
	keyKnown          // a key that is not valid now
	keyByName         // a token of such a key, which has no start
)

// malformed is a malformed credential.
const malformed = "sl_that-is-no-key"

func states() []state {
	return []state{
		{name: "no key", id: listed, judged: absent},
		{name: "a malformed key", sent: malformed, id: listed, judged: anonymous},
		{name: "a malformed key as Bearer", sent: malformed, bearer: true, id: listed, judged: anonymous},
		{name: "an unknown key", sent: "unknown", id: listed, judged: startOnly},
		{name: "a disabled key", sent: "disabled", id: listed, judged: keyKnown},
		{name: "a revoked key", sent: "revoked", id: listed, judged: keyKnown},
		{name: "an expired key", sent: "expired", id: listed, judged: keyKnown},
		{name: "another scope", sent: "scopes", id: listed},
		{name: "the scope of reading alone", sent: "reads", id: listed},
		{name: "another owner's resource", sent: "whole", id: foreign},
		{name: "another owner's resource that the key lists", sent: "greedy", id: foreign},
		{name: "a resource outside the key's list", sent: "right", id: aside},
		{name: "an unknown resource", sent: "whole", id: nowhere},
		{name: "an unknown resource that the key lists", sent: "greedy", id: nowhere},
		{name: "the right key", sent: "right", id: listed},
		{name: "the right key as Bearer", sent: "right", bearer: true, id: listed},
		{name: "the right key as Bearer beside junk", sent: "right", bearer: true, junk: true, id: listed},
		{name: "a key with mandatory filters", sent: "filtered", id: listed, not: auth.KindSchedule},
		{name: "a key with a list of query types", sent: "typed", id: listed},
		{name: "a panel token", sent: "token", bearer: true, id: listed},
		{name: "a panel token for a resource outside its key's list", sent: "token", bearer: true, id: aside},
		{name: "a panel token for another owner's resource", sent: "token", bearer: true, id: foreign},
		{name: "an expired panel token", sent: "expired token", bearer: true, id: listed, judged: anonymous},
		{name: "a panel token of a revoked key", sent: "revoked token", bearer: true, id: listed, judged: keyByName},
		{name: "a panel token sealed under another pepper", sent: "forged token", bearer: true, id: listed,
			judged: anonymous},
		{name: "a panel token of no key", sent: "token of no key", bearer: true, id: listed, judged: anonymous},
		{name: "the right key over its limit", sent: "right", id: listed, fault: overLimit},
		{name: "the right key and a body that is too large", sent: "right", id: listed, fault: tooLarge},
		{name: "the right key and half a body", sent: "right", id: listed, fault: halfSent},
		{name: "no key and half a body", id: listed, judged: absent, fault: halfSent},
	}
}

// show adds the credential of s to the headers.
func (s state) show(w *world, h http.Header) {
	text := s.sent
	if secret, ok := w.secrets[s.sent]; ok {
		text = secret.Reveal()
	}
	if s.junk {
		h.Set("X-Api-Key", malformed)
	}
	switch {
	case s.sent == "":
	case s.bearer:
		h.Set("Authorization", "Bearer "+text)
	default:
		h.Set("X-Api-Key", text)
	}
}

// reaches reports whether the credential of s, which is valid, may use its resource.
func (s state) reaches() bool { return s.id == listed }
