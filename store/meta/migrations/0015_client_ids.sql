-- Feature flags belong to a website or to an owner, by id. Therefore a website and an owner never have the same
-- id. Ids of removed records stay in this table.

-- +goose Up
CREATE TABLE client_ids (
    id   TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL
);
INSERT INTO client_ids (id, kind) SELECT id, 'owner' FROM owners WHERE true ON CONFLICT (id) DO NOTHING;
INSERT INTO client_ids (id, kind) SELECT id, 'website' FROM websites WHERE true ON CONFLICT (id) DO NOTHING;
INSERT INTO client_ids (id, kind) SELECT id, 'website' FROM removed_subjects WHERE kind = 'website' ON CONFLICT (id) DO NOTHING;
