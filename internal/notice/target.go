package notice

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/store"
)

// A Target is the destination of messages: exactly one of its fields but Secret is set.
type Target struct {
	Webhook string `json:"webhook,omitempty"` // an address that gets JSON, signed as Standard Webhooks says
	Secret  string `json:"secret,omitempty"`  // of Webhook: whsec_ and base64
	Slack   string `json:"slack,omitempty"`   // an address that takes the JSON of Slack
	Discord string `json:"discord,omitempty"` // an address that takes the JSON of Discord
	Email   string `json:"email,omitempty"`
	Host    string `json:"host,omitempty"` // a text for the sender of the host
}

// A TargetKind is a way to send something.
type TargetKind string

// The kinds of targets, which are the names of their fields.
const (
	ToWebhook TargetKind = "webhook"
	ToSlack   TargetKind = "slack"
	ToDiscord TargetKind = "discord"
	ToEmail   TargetKind = "email"
	ToHost    TargetKind = "host"
)

// secretPrefix begins the secrets of Standard Webhooks.
const secretPrefix = "whsec_"

// Kind returns how t is reached, and its address.
func (t *Target) Kind() (kind TargetKind, address string) {
	for _, one := range t.all() {
		if one.address != "" {
			return one.kind, one.address
		}
	}
	return "", ""
}

type kindOfTarget struct {
	kind    TargetKind
	address string
}

func (t *Target) all() []kindOfTarget {
	return []kindOfTarget{{ToWebhook, t.Webhook}, {ToSlack, t.Slack}, {ToDiscord, t.Discord}, {ToEmail, t.Email},
		{ToHost, t.Host}}
}

// Key returns a short text that differs for targets with different addresses. It does not tell the address.
func (t *Target) Key() string {
	kind, address := t.Kind()
	sum := sha256.Sum256([]byte(address))
	return string(kind) + ":" + hex.EncodeToString(sum[:8])
}

// Shown returns t for people, without secrets: addresses of webhooks often are secrets, so only their host is shown.
func (t *Target) Shown() string {
	kind, address := t.Kind()
	if kind == ToEmail || kind == ToHost {
		return string(kind) + " " + address
	}
	if u, err := url.Parse(address); err == nil {
		address = u.Host
	}
	return string(kind) + " " + address
}

// secretBytes returns the bytes of the secret of a webhook.
func secretBytes(secret string) ([]byte, bool) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	return key, ok && err == nil && len(key) >= 24 && len(key) <= 64
}

// SigningKey returns the key with which a webhook is signed.
func (t *Target) SigningKey() []byte {
	key, _ := secretBytes(t.Secret)
	return key
}

// targetFields are the rows of a target.
var targetFields = body.Of(
	body.Text("webhook", func(t *Target) *string { return &t.Webhook }).Called("url").
		Shaped(openapi.Text("An address that gets JSON, signed as Standard Webhooks says")),
	body.Text("secret", func(t *Target) *string { return &t.Secret }).
		Shaped(openapi.Text("Of a webhook: `whsec_` and base64 of 24 to 64 bytes. Without it the server makes one")),
	body.Text("slack", func(t *Target) *string { return &t.Slack }).
		Shaped(openapi.Text("A webhook of Slack, or of a program that takes the same JSON")),
	body.Text("discord", func(t *Target) *string { return &t.Discord }).Shaped(openapi.Text("A webhook of Discord")),
	body.Text("email", func(t *Target) *string { return &t.Email }).Called("mail").
		Shaped(openapi.Text("An address without a name")),
	body.Text("host", func(t *Target) *string { return &t.Host }).
		Shaped(openapi.Text("A text for the sender of the host")),
)

// targets returns the row of a list of targets.
func targets[T any](name string, of func(*T) *[]Target) body.Field[T] {
	return body.Custom(name, of, func(m body.Mistakes, at body.Path, v body.Value, into *[]Target) {
		body.ReadObjects(m, at, v, "targets", MaxTargets, targetFields, into)
	}).Shaped(openapi.List("Where it is sent, each to one of `webhook`, `slack`, `discord`, `email` and `host`",
		targetFields.Schema(""), 1, MaxTargets))
}

// checkTargets reports what is wrong with the targets of a notice.
func checkTargets(all []Target, add func(field, message string)) {
	if len(all) == 0 {
		add("to", mistake.Required)
	}
	seen := map[string]bool{}
	for i := range all {
		t, at := &all[i], fmt.Sprintf("to[%d]", i)
		given := 0
		for _, one := range t.all() {
			if one.address != "" {
				given++
			}
		}
		if given != 1 {
			add(at, "must have exactly one of webhook, slack, discord, email and host")
			continue
		}
		kind, address := t.Kind()
		if wrong := wrongAddress(kind, address); wrong != "" {
			add(at+"."+string(kind), wrong)
		}
		if _, ok := secretBytes(t.Secret); t.Secret != "" && (kind != ToWebhook || !ok) {
			add(at+".secret", "must be whsec_ and base64 of 24 to 64 bytes, beside webhook")
		}
		if seen[t.Key()] {
			add(at, "is the same as one before it")
		}
		seen[t.Key()] = true
	}
}

// wrongAddress returns what is wrong with the address of a target, or "".
func wrongAddress(kind TargetKind, address string) string {
	switch kind {
	case ToEmail:
		return wrongMail(address)
	case ToHost:
		if utf8.RuneCountInString(address) > MaxHostText {
			return mistake.Long(MaxHostText)
		}
		if strings.ContainsFunc(address, unicode.IsControl) {
			return mistake.Control
		}
		return ""
	}
	u, err := url.Parse(address)
	switch {
	case len(address) > MaxAddress:
		return fmt.Sprintf("may have at most %d bytes", MaxAddress)
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return "must be an address that begins with https:// or http://"
	case u.User != nil:
		return "must not have a user or a password"
	}
	return ""
}

// maxMail is the most bytes of an address of mail.
const maxMail = 254

// wrongMail returns what is wrong with an address of mail, or "".
func wrongMail(address string) string {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > maxMail {
		return "must be an address of mail without a name, such as ada@shop.example"
	}
	return ""
}

// Complete gives the webhooks of d that have no secret the one that they have in before, which d replaces, or a new
// one. before may be nil. Definitions of other kinds and those with mistakes stay as they are.
func Complete(d, before *store.Definition) error {
	if d.Kind != store.NoticeDefinition {
		return nil
	}
	n, bad := Parse(d)
	if bad != nil {
		return nil //nolint:nilerr // whoever saves it checks it
	}
	known := map[string]string{}
	if before != nil {
		if old, bad := Parse(before); bad == nil {
			for _, t := range old.To {
				known[t.Webhook] = t.Secret
			}
		}
	}
	changed := false
	for i := range n.To {
		t := &n.To[i]
		if t.Webhook == "" || t.Secret != "" {
			continue
		}
		if t.Secret, changed = known[t.Webhook], true; t.Secret == "" {
			t.Secret = newSecret()
		}
	}
	if !changed {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(d.Body, &members); err != nil {
		return err
	}
	to, err := json.Marshal(n.To) //nolint:gosec // secrets of webhooks are stored with the definition
	if err != nil {
		return err
	}
	members["to"] = to
	d.Body, err = json.Marshal(members)
	return err
}

// CompleteAmong is [Complete] with the one of all that d replaces.
func CompleteAmong(d *store.Definition, all []store.Definition) error {
	for i := range all {
		if all[i].Kind == d.Kind && all[i].Name == d.Name {
			return Complete(d, &all[i])
		}
	}
	return Complete(d, nil)
}

// OfAllWebsites reports whether d is a notice or a report of all websites of an owner.
func OfAllWebsites(d *store.Definition) bool {
	var body struct {
		All bool `json:"allWebsites"`
	}
	return d.Kind.Sends() && json.Unmarshal(d.Body, &body) == nil && body.All
}

func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}
