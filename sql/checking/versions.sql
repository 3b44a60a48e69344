select name, fingerprint from ops.check_versions;
