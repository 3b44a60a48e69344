delete from ops.privacy;
