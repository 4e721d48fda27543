package meta

import (
	"context"
	"time"

	sq "github.com/Masterminds/squirrel"

	"github.com/sightline-analytics/sightline/store"
)

var _ store.NoticeStore = (*Store)(nil)

// noticeLease is the row of leases of the server that evaluates and delivers.
const noticeLease = "notices"

var noticeStates = record[store.NoticeState]{"state of a notice", "notice_states", func(n *store.NoticeState) []field {
	return append(noticeKey(&n.NoticeKey), field{"about", &n.About}, field{"state", (*textBytes)(&n.State)})
}}

var deliveries = record[store.Delivery]{"delivery", "deliveries", func(d *store.Delivery) []field {
	return append(append([]field{{"id", &d.ID}}, noticeKey(&d.NoticeKey)...), field{"target", &d.Target},
		field{"shown", &d.Shown}, field{"message", (*textBytes)(&d.Message)}, field{"created_at", (*millis)(&d.Created)},
		field{"seq", &d.Seq}, field{"due_at", (*millis)(&d.Due)}, field{"tries", &d.Tries},
		field{"tried_at", (*millis)(&d.Tried)}, field{"fault", &d.Fault}, field{"status", &d.Status})
}}

var mailEnds = record[store.MailEnd]{"end of mail", "mail_ends", func(e *store.MailEnd) []field {
	return append(noticeKey(&e.NoticeKey), field{"target", &e.Target})
}}

func noticeKey(k *store.NoticeKey) []field {
	return []field{{"website", &k.Website}, {"kind", &k.Kind}, {"name", &k.Name}}
}

// ofNotice matches the rows of a notice.
func ofNotice(k store.NoticeKey) sq.Eq {
	return sq.Eq{"website": k.Website, "kind": string(k.Kind), "name": k.Name}
}

// ofTarget matches the messages of a notice to a target.
func ofTarget(d *store.Delivery) sq.Eq {
	where := ofNotice(d.NoticeKey)
	where["target"] = d.Target
	return where
}

// Notices implements [store.NoticeStore].
func (s *Store) Notices(ctx context.Context) ([]store.Notice, error) {
	q := s.sql.Select("w.owner", "d.website", "d.kind", "d.name", "d.body", "d.created_at", "d.updated_at").
		From("definitions d").Join("websites w ON w.id = d.website").
		Where(sq.Eq{"d.kind": []string{string(store.NoticeDefinition), string(store.ReportDefinition)}})
	return collect(ctx, s, "list notices", q, func(row scanner) (n store.Notice, err error) {
		err = row.Scan(&n.Owner, &n.Website, &n.Kind, &n.Name, (*textBytes)(&n.Body), (*millis)(&n.Created),
			(*millis)(&n.Updated))
		return n, err
	})
}

// LeadNotices implements [store.NoticeStore]. A SQLite file has one server, so the newest one leads at once.
func (s *Store) LeadNotices(ctx context.Context, holder string, lease time.Duration) (leads bool, err error) {
	now := s.cfg.Now()
	q := s.sql.Insert("leases").Columns("name", "holder", "until").
		Values(noticeLease, holder, now.Add(lease).UnixMilli())
	const take = "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
	if s.cfg.Path != "" {
		q = q.Suffix(take)
	} else {
		q = q.Suffix(take+" WHERE leases.holder = excluded.holder OR leases.until <= ?", now.UnixMilli())
	}
	err = s.update(ctx, "lead notices", func(ctx context.Context, db querier) error {
		n, err := change(ctx, db, q)
		leads = n > 0
		return err
	})
	return leads && err == nil, err
}

// ResignNotices implements [store.NoticeStore].
func (s *Store) ResignNotices(ctx context.Context, holder string) error {
	return s.update(ctx, "resign notices", func(ctx context.Context, db querier) error {
		_, err := change(ctx, db, s.sql.Delete("leases").Where(sq.Eq{"name": noticeLease, "holder": holder}))
		return err
	})
}

// mustLead returns [store.ErrNotLeader] unless holder leads until the transaction ends.
func (s *Store) mustLead(ctx context.Context, db querier, holder string) error {
	q := s.sql.Select("holder").From("leases").Where(sq.Eq{"name": noticeLease}).Suffix(s.lang.forUpdate)
	found, err := collectFrom(ctx, db, q, text)
	if err == nil && (len(found) == 0 || found[0] != holder) {
		err = store.ErrNotLeader
	}
	return err
}

// NoticeStates implements [store.NoticeStore].
func (s *Store) NoticeStates(ctx context.Context) ([]store.NoticeState, error) {
	return collect(ctx, s, "list states of notices", noticeStates.query(s), noticeStates.scan)
}

// RecordNotices implements [store.NoticeStore].
func (s *Store) RecordNotices(ctx context.Context, holder string, states []store.NoticeState,
	messages []store.Delivery) error {
	return s.update(ctx, "record notices", func(ctx context.Context, db querier) error {
		if holder != "" {
			if err := s.mustLead(ctx, db, holder); err != nil {
				return err
			}
		}
		for _, one := range states {
			if isSaved, err := s.isSaved(ctx, db, one.NoticeKey); err != nil {
				return err
			} else if !isSaved {
				continue // it was removed meanwhile
			}
			where := ofNotice(one.NoticeKey)
			where["about"] = one.About
			if _, err := change(ctx, db, s.sql.Delete(noticeStates.table).Where(where)); err != nil {
				return err
			}
			if one.State == nil {
				continue
			}
			if _, err := change(ctx, db, noticeStates.insert(s, one)); err != nil {
				return err
			}
		}
		for _, d := range messages {
			if err := s.queue(ctx, db, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// isSaved reports whether a notice exists, and locks it until the transaction ends, so that no two transactions change
// what is known of it.
func (s *Store) isSaved(ctx context.Context, db querier, k store.NoticeKey) (bool, error) {
	q := s.sql.Select("name").From(definitions.table).Where(ofNotice(k)).Suffix(s.lang.forUpdate)
	found, err := collectFrom(ctx, db, q, text)
	return len(found) > 0, err
}

// queue adds a message behind the others of its notice to its target.
func (s *Store) queue(ctx context.Context, db querier, d store.Delivery) error {
	isSaved, err := s.isSaved(ctx, db, d.NoticeKey)
	if err != nil || !isSaved {
		return err // if it was removed meanwhile, nobody wants the message
	}
	last, err := collectFrom(ctx, db, s.sql.Select("coalesce(max(seq), 0)").From(deliveries.table).
		Where(ofTarget(&d)), number)
	if err != nil {
		return err
	}
	d.Seq = last[0] + 1
	_, err = change(ctx, db, deliveries.insert(s, d))
	return err
}

// DueDeliveries implements [store.NoticeStore].
func (s *Store) DueDeliveries(ctx context.Context, limit int) ([]store.Delivery, error) {
	var columns []string
	for _, name := range deliveries.columns() {
		columns = append(columns, "d."+name)
	}
	first := s.sql.Select(columns...).
		Column("row_number() OVER (PARTITION BY w.owner ORDER BY d.due_at, d.id) AS place").
		From("deliveries d").Join("websites w ON w.id = d.website").
		Where(sq.Eq{"d.status": string(store.DeliveryPending)}).
		Where(sq.LtOrEq{"d.due_at": s.cfg.Now().UnixMilli()}).
		Where("NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.website = d.website AND e.kind = d.kind AND " +
			"e.name = d.name AND e.target = d.target AND e.status = 'pending' AND e.seq < d.seq)")
	q := s.sql.Select(deliveries.columns()...).FromSelect(first, "due").
		Where(sq.LtOrEq{"place": store.DuePerOwner}).OrderBy("due_at", "id").Limit(uint64(max(limit, 0)))
	return collect(ctx, s, "list due deliveries", q, deliveries.scan)
}

// RecordDelivery implements [store.NoticeStore].
func (s *Store) RecordDelivery(ctx context.Context, holder string, d store.Delivery) error {
	return s.update(ctx, "record delivery", func(ctx context.Context, db querier) error {
		if err := s.mustLead(ctx, db, holder); err != nil {
			return err
		}
		q := s.sql.Update(deliveries.table).Where(sq.Eq{"id": d.ID}).SetMap(map[string]any{
			"due_at": millis(d.Due), "tries": d.Tries, "tried_at": millis(d.Tried), "fault": d.Fault,
			"status": string(d.Status)})
		if _, err := change(ctx, db, q); err != nil || d.Status == store.DeliveryPending {
			return err
		}
		_, err := change(ctx, db, s.sql.Delete(deliveries.table).Where(ofTarget(&d)).
			Where(sq.NotEq{"status": string(store.DeliveryPending)}).
			Where(sq.LtOrEq{"seq": d.Seq - store.KeptDeliveries}))
		return err
	})
}

// Deliveries implements [store.NoticeStore].
func (s *Store) Deliveries(ctx context.Context, website string, limit int) ([]store.Delivery, error) {
	q := deliveries.query(s).Where(sq.Eq{"website": website}).
		OrderBy("created_at DESC", "seq DESC", "id"+s.lang.byBytes).Limit(uint64(max(limit, 0)))
	all, err := collect(ctx, s, "list deliveries", q, deliveries.scan)
	for i := range all {
		all[i].Message = nil
	}
	return all, err
}

// EndMail implements [store.NoticeStore].
func (s *Store) EndMail(ctx context.Context, end store.MailEnd) error {
	return s.update(ctx, "end mail", func(ctx context.Context, db querier) error {
		isSaved, err := s.isSaved(ctx, db, end.NoticeKey)
		if err != nil {
			return err
		}
		if !isSaved {
			return store.ErrNotFound
		}
		_, err = change(ctx, db, mailEnds.insert(s, end).Suffix("ON CONFLICT (website, kind, name, target) DO NOTHING"))
		return err
	})
}

// MailEnds implements [store.NoticeStore].
func (s *Store) MailEnds(ctx context.Context) ([]store.MailEnd, error) {
	return collect(ctx, s, "list ends of mail", mailEnds.query(s), mailEnds.scan)
}

// dropNotices returns the statements that remove what is known of notices: states, messages and ends.
func (s *Store) dropNotices(where sq.Eq) (all []sq.Sqlizer) {
	for _, table := range []string{noticeStates.table, deliveries.table, mailEnds.table} {
		all = append(all, s.sql.Delete(table).Where(where))
	}
	return all
}
