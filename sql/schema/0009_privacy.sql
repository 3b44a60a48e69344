-- Under which setting the rows of this file were written: rows of two settings must not stand side by side.

create table ops.privacy (
    recipients varchar,
    key_fingerprint varchar
);
