-- The kind of an event's campaign source. See store.Event. It is empty for older rows.

ALTER TABLE events ADD COLUMN campaign_kind VARCHAR DEFAULT '';
ALTER TABLE events ALTER COLUMN campaign_kind SET NOT NULL;
ALTER TABLE sealed_sessions ADD COLUMN campaign_kind VARCHAR DEFAULT '';
ALTER TABLE sealed_hits ADD COLUMN campaign_kind VARCHAR DEFAULT '';
