select
    (select count(odd_record) from staged) = 0
    and not coalesce(
        (
            select bool_or(is_odd(metadata, 'channel_metadata'))
            from (select distinct metadata from staged) as given_metadata
        ),
        false
    ) as plain;
