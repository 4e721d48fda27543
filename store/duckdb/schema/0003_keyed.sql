-- Whether a row was sent with an API key: its event id counts apart from those without one.

ALTER TABLE events ADD COLUMN keyed UTINYINT DEFAULT 0;
ALTER TABLE errors ADD COLUMN keyed UTINYINT DEFAULT 0;
ALTER TABLE vitals ADD COLUMN keyed UTINYINT DEFAULT 0;
ALTER TABLE spans ADD COLUMN keyed UTINYINT DEFAULT 0;
