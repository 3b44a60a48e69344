-- Macros and tables for the marts; sql/models defines the marts themselves.

create schema marts;

-- The kind of an event, by its name. Names are an open vocabulary: unknown ones are classified by their ending, else null.
create macro marts.event_kind(event_name) as case
    when event_name = 'send_success' then 'succeeded'
    when event_name = 'send_failure' then 'failed'
    when event_name = 'failover_text_message_send_success' then 'failover_sent'
    when event_name = 'failover_text_message_send_failure' then 'failover_failed'
    -- Closing a message is no interest in it.
    when event_name = 'close_button_click' then 'closed'
    when ends_with(event_name, '_click') then 'clicked'
    when ends_with(event_name, '_delivered') or ends_with(event_name, '_show') then 'delivered'
    when ends_with(event_name, '_open') then 'opened'
end;

create table public_holidays (
    date date,
    name varchar,
    name_ko varchar
);

-- The sentences of verdicts on A/B tests: a seed.
create table verdict_words (
    verdict_code varchar,
    sentence varchar,
    sentence_ko varchar
);

-- A sentence with each {word} replaced by what the map holds for it.
create macro marts.fill_words(sentence, words) as list_reduce(
    list_transform(map_entries(words), lambda entry: {'key': entry.key, 'value': coalesce(entry.value, '?')}),
    lambda text, entry: {'key': '', 'value': replace(text.value, '{' || entry.key || '}', entry.value)},
    {'key': '', 'value': sentence}
).value;

-- Counters and rates of messages, as a struct to unnest: `select channel, unnest(marts.performance(message_days)) from
-- marts.message_days group by channel`. days is a relation with the counters of marts.message_days, such as that mart
-- itself or any that is made of it. A rate divides by the messages of which its counter is known, and is null without any.
create macro marts.performance(days) as {
    'sent': sum(days.sent)::bigint,
    'failed': sum(days.failed)::bigint,
    'succeeded': sum(days.succeeded)::bigint,
    'delivered': sum(days.delivered)::bigint,
    'clicked': sum(days.clicked)::bigint,
    'conversions': sum(days.conversions)::bigint,
    'direct_conversions': sum(days.direct_conversions)::bigint,
    'failure_rate': sum(days.failed) / nullif(sum(days.sent), 0),
    'delivery_rate': sum(days.delivered) / nullif(sum(days.deliverable), 0),
    'click_rate': sum(days.clicked) / nullif(sum(days.clickable), 0),
    'conversion_rate': sum(days.conversions) / nullif(sum(days.convertible), 0),
    'deliverable': sum(days.deliverable)::bigint,
    'clickable': sum(days.clickable)::bigint,
    'convertible': sum(days.convertible)::bigint
};

-- The strongest id of a record, as a number that never changes. An id of one kind is never one of another; an empty one is none.
create macro marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as md5_number_lower(
    case
        when user_id <> '' then 'user_id ' || user_id
        when service_user_id <> '' then 'service_user_id ' || service_user_id
        when device_id <> '' then 'device_id ' || device_id
        when service_device_id <> '' then 'service_device_id ' || service_device_id
    end
);

-- A time that is right to 2 %: the geometric middle of a step of 4 %. Which side of a minute, an hour and a day it is on
-- stays exact, and nothing at all stays zero.
create macro marts.middle_of_step(seconds) as pow(1.04, floor(ln(seconds) / ln(1.04)) + 0.5);

create macro marts.rounded_seconds(seconds) as case
    when seconds <= 0 then 0
    when seconds <= 60 then least(marts.middle_of_step(seconds), 60)
    when seconds <= 3600 then least(greatest(marts.middle_of_step(seconds), 60.001), 3600)
    when seconds <= 86400 then least(greatest(marts.middle_of_step(seconds), 3600.001), 86400)
    else greatest(marts.middle_of_step(seconds), 86400.001)
end::double;

-- The percentile of counted values, as quantile_cont gives it of the values themselves: an aggregate of the counts up to
-- and with each value, and of all of them.
create macro marts.histogram_quantile(value, count_so_far, count_of_all, share) as (
    min(value) filter (count_so_far > floor((count_of_all - 1) * share))
    + (any_value(count_of_all - 1) * share - floor(any_value(count_of_all - 1) * share))
    * (
        min(value) filter (count_so_far > ceil((count_of_all - 1) * share))
        - min(value) filter (count_so_far > floor((count_of_all - 1) * share))
    )
);

-- The 95 % interval (Wilson's) of a rate of so many out of so many, where messages are independent of each other.
create macro marts.wilson_interval(successes, trials) as {
    'low': (
        successes / trials + 1.9207 / trials
        - 1.96 * sqrt(greatest(0, successes / trials * (1 - successes / trials)) / trials + 0.9604 / (trials * trials))
    ) / (1 + 3.8415 / trials),
    'high': (
        successes / trials + 1.9207 / trials
        + 1.96 * sqrt(greatest(0, successes / trials * (1 - successes / trials)) / trials + 0.9604 / (trials * trials))
    ) / (1 + 3.8415 / trials)
};

-- Percentiles and shares of response times, as a struct to unnest like marts.performance. times is a relation with each
-- time once (seconds), how many responses took it (responses), how many took at most as long (responses_so_far), and how
-- many there are (all_responses).
create macro marts.response_profile(times) as {
    'responses': sum(times.responses)::bigint,
    'p50_seconds': marts.histogram_quantile(times.seconds, times.responses_so_far, times.all_responses, 0.5),
    'p90_seconds': marts.histogram_quantile(times.seconds, times.responses_so_far, times.all_responses, 0.9),
    'p99_seconds': marts.histogram_quantile(times.seconds, times.responses_so_far, times.all_responses, 0.99),
    'share_within_minute':
    coalesce(sum(times.responses) filter (times.seconds <= 60), 0) / sum(times.responses),
    'share_within_hour':
    coalesce(sum(times.responses) filter (times.seconds <= 3600), 0) / sum(times.responses),
    'share_within_day':
    coalesce(sum(times.responses) filter (times.seconds <= 86400), 0) / sum(times.responses)
};

-- The steps in which messages to a person are counted: one to five, and from six, eleven and 21 on.
create macro marts.message_step(messages) as case
    when messages <= 5 then messages
    when messages <= 10 then 6
    when messages <= 20 then 11
    else 21
end::integer;

create macro marts.message_step_name(step) as case step
    when 6 then '6-10'
    when 11 then '11-20'
    when 21 then '21+'
    else step::varchar
end;

-- Whether a message reached a person with that event: it was sent, on its channel or as a text instead. In-app and in-web
-- messages reach people by being shown.
create macro marts.is_display(channel) as coalesce(channel in ('in-app-message', 'in-web-message'), false);

create macro marts.is_reaching(kind, channel) as case
    when marts.is_display(channel) then kind = 'delivered'
    else kind in ('succeeded', 'failover_sent')
end;
