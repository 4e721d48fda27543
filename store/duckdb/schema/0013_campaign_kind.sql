-- The kind of an event's campaign source; see store.Event. Older rows have none.

ALTER TABLE events ADD COLUMN campaign_kind VARCHAR DEFAULT '';
ALTER TABLE events ALTER COLUMN campaign_kind SET NOT NULL;
ALTER TABLE sealed_sessions ADD COLUMN campaign_kind VARCHAR DEFAULT '';
ALTER TABLE sealed_hits ADD COLUMN campaign_kind VARCHAR DEFAULT '';
