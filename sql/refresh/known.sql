select relation, kind, fingerprint from ops.models;
