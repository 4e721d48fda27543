-- Numbers of countries, see dialect.PrefixNumber. Filling a new column with UPDATE would load all rows into
-- memory.

CREATE TABLE numbered_hits AS SELECT *, (1024 * ascii(country) + ascii(substr(country, 2)))::INTEGER AS country_number FROM sealed_hits;
DROP TABLE sealed_hits;
ALTER TABLE numbered_hits RENAME TO sealed_hits;
ALTER TABLE sealed_hits ALTER COLUMN clustered SET DEFAULT 0; -- CREATE TABLE AS does not copy the default
