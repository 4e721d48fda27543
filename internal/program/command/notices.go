package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// deliveryView shows a store.Delivery, with the fields of the API for JSON.
type deliveryView struct {
	ID      string               `json:"id"`
	Kind    store.DefinitionKind `json:"kind"`
	Name    string               `json:"name"`
	To      string               `json:"to"`
	Status  store.DeliveryStatus `json:"status"`
	Tries   int64                `json:"tries"`
	Error   string               `json:"error,omitempty"`
	Created time.Time            `json:"createdAt"`
	Tried   time.Time            `json:"triedAt,omitzero"`
}

func viewDelivery(d store.Delivery) deliveryView {
	return deliveryView{d.ID, d.Kind, d.Name, d.Shown, d.Status, d.Tries, d.Fault, d.Created, d.Tried}
}

func (d deliveryView) cells() []cell {
	return []cell{{"CREATED", at(d.Created)}, {"KIND", string(d.Kind)}, {"NAME", d.Name}, {"TO", d.To},
		{"STATUS", string(d.Status)}, {"TRIES", fmt.Sprint(d.Tries)}, {"ERROR", d.Error}}
}

// testedView shows whose test message waits for the server.
type testedView struct {
	Kind store.DefinitionKind `json:"kind"`
	Name string               `json:"name"`
}

func (v testedView) cells() []cell { return []cell{{"KIND", string(v.Kind)}, {"NAME", v.Name}} }

type listNotices struct {
	ofWebsite

	Limit int `default:"100" help:"Number of messages, the newest first."`
}

func (*listNotices) Help() string {
	return `Messages of notices and reports with the error of their last try. Targets are shown without secrets. definitions list shows the notices and reports themselves.`
}

// Validate returns mistakes in the options.
func (l *listNotices) Validate() error {
	if l.Limit < 1 {
		return errors.New("--limit must be at least 1")
	}
	return nil
}

func (l *listNotices) Run(ctx context.Context, e environment) error {
	return l.reading(ctx, e, func(m *meta.Store) error {
		all, err := m.Deliveries(ctx, l.Website, l.Limit)
		if err != nil {
			return err
		}
		return showAll(e.out, l.JSON, mapped(all, viewDelivery))
	})
}

type testNotice struct {
	ofWebsite

	Kind string `enum:"notice,report" default:"notice" help:"What to test: notice or report."`
	Name string `arg:"" help:"Name of the notice or report."`
}

func (*testNotice) Help() string {
	return `Sends a message that says that it is a test to all targets. The server delivers it within a second; notices list shows whether it arrived.`
}

func (t *testNotice) Run(ctx context.Context, e environment) error {
	engine, err := query.New(query.Config{Store: noStore{}})
	if err != nil {
		return err
	}
	return t.reading(ctx, e, func(m *meta.Store) error {
		s, err := notify.New(notify.Config{Store: m, Engine: engine, Directory: m, Now: e.now})
		if err != nil {
			return err
		}
		key := store.NoticeKey{Website: t.Website, Kind: store.DefinitionKind(t.Kind), Name: t.Name}
		if err := s.Try(ctx, key); errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%s %q does not exist; see definitions list --website %s", t.Kind, t.Name, t.Website)
		} else if err != nil {
			return err
		}
		return showOne(e.out, t.JSON, testedView{store.DefinitionKind(t.Kind), t.Name})
	})
}
