-- Whether Store.Maintain has moved a row next to other rows of its subject. Other rows are in the order of
-- arrival.

ALTER TABLE events ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE errors ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE vitals ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE spans ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE visits ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE checks ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE blocked ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE sealed_sessions ADD COLUMN clustered UTINYINT DEFAULT 0;
ALTER TABLE sealed_hits ADD COLUMN clustered UTINYINT DEFAULT 0;
