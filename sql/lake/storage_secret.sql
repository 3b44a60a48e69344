create or replace temporary secret lake_storage (type s3, {options});
