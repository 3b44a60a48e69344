-- Takes out of documents the values of unknown keys (`split_keys`, at their pointers), where nothing else is odd about them: no
-- value of another kind, and nothing inside of an object. They stay in the document, whose shape passes them over.

update {relation}
set
    {extra} = case
        when len(getvariable('split_keys')::varchar[]) = 1 and json_exists({document}, getvariable('split_pointers')[1])
        then members_of(
            getvariable('split_keys')::varchar[], json_extract({document}, getvariable('split_pointers')::varchar[])
        )
        when len(getvariable('split_keys')::varchar[]) > 1
        then masked(
            object_of(
                list_transform(
                    -- In the order of the document.
                    list_sort(
                        list_transform(
                            list_filter(
                                list_zip(
                                    getvariable('split_keys')::varchar[],
                                    json_extract({document}, getvariable('split_pointers')::varchar[])
                                ),
                                lambda one: one[2] is not null
                            ),
                            lambda one: {
                                'place': list_position(json_keys({document}), one[1]), 'member': member(one[1], one[2])
                            }
                        )
                    ),
                    lambda one: one.member
                )
            )
        )::json
    end
where {document} is not null and {condition};
