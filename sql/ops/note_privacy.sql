insert into ops.privacy (recipients, key_fingerprint) values ($recipients, $key_fingerprint);
