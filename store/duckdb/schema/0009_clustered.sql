-- Whether a row lies where Store.Maintain moved it, among those of its subject, or where it came in.

ALTER TABLE events ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE errors ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE vitals ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE spans ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE visits ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE checks ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE blocked ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE sealed_sessions ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE sealed_hits ADD COLUMN clustered UTINYINT DEFAULT 0;
