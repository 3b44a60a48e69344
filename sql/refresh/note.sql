insert into ops.models (relation, kind, fingerprint) values ($relation, $kind, $fingerprint);
