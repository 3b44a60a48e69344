alter table {relation} rename to {aside};
