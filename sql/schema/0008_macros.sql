-- Macros and seeds for models and analysts. sql/models defines the marts themselves.

create schema marts;

-- True for a stream of snapshots, each of which shows today's list. It has no past days that could be missing.
create macro marts.is_snapshot(stream) as
    stream in ('catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs');

-- The number of days of a query: the session variable `days`, else the usual number.
create macro marts.days_asked(usual) as
    if(getvariable('days')::bigint > 100000, 100000, coalesce(getvariable('days')::bigint, usual))::integer;

-- The days of a query, from the session variable `start` to `end`. Without `end`, they end with the stream's latest day. Without `start`, they
-- are the last `marts.days_asked(days)` days, or without `days` all days of the stream.
create macro marts.period(held_stream, days := null) as table
select
    coalesce(getvariable('end')::date, last_held) as last_date,
    coalesce(getvariable('start')::date, last_date - (marts.days_asked(days) - 1), first_held) as first_date,
    first_held,
    last_held
from (
    select min(date) as first_held, max(date) as last_held
    from (
        select stream, date from ops.coverage where not marts.is_snapshot(stream)
        union all
        select stream, date from ops.snapshots
    )
    where stream = held_stream
);

-- True if the value equals the session variable of this name, or if the variable is not set.
create macro marts.matches(variable, value) as
    getvariable(variable)::varchar is null or value = getvariable(variable)::varchar;

-- The session variable of this name, which must be one of the choices; if it is not set, the first choice.
create macro marts.choice(variable, choices) as case
    when getvariable(variable) is null then choices[1]
    when list_contains(choices, getvariable(variable)::varchar) then getvariable(variable)::varchar
    else error(variable || ' must be one of ' || array_to_string(choices, ', '))
end;

-- The number of days between two days for which a stream has data.
create macro marts.days_held(held_stream, first_day, last_day) as (
    select count(*) from ops.coverage where stream = held_stream and date between first_day and last_day
);

-- The number of days with statistics but without events. On such days it is unknown which texts were sent in place of failed
-- messages.
create macro marts.days_without_texts(first_day, last_day) as (
    select count(*)
    from (from ops.coverage where stream = 'statistics')
    anti join (from ops.coverage where stream = 'events') as events using (date)
    where date between first_day and last_day
);

-- Days as text, in ranges: the first 20 ranges, then the number of the others. Null for an empty list.
create macro marts.listed_days(days) as (
    select
        array_to_string(
            list(if(first_day = last_day, first_day::varchar, concat(first_day, '..', last_day)) order by first_day)[:20], ', '
        ) || if(count(*) > 20, format(' and {} more gaps', count(*) - 20), '')
    from (
        select min(day) as first_day, max(day) as last_day
        from (select unnest(days) as day)
        group by day - list_position(list_sort(days), day)::integer
    )
);

-- The different members of lists, sorted. Null for none.
create macro marts.members_of(lists) as nullif(list_sort(list_distinct(flatten(lists))), []);

-- The columns that campaigns, variants, journeys and nodes share: the latest name (or else the id), and earlier names. The
-- parameters are columns of daily_statistics. For a variant or a node, whole_id is its campaign or journey and part_id its own id.
create macro marts.named(whole_id, part_id, given_name) as table
with by_name as (
    select
        whole_id as id,
        part_id as part,
        given_name as name,
        max((date, statistic_id)) as last_used,
        list(distinct channel) filter (channel is not null) as channels,
        min(date) as first_date,
        max(date) as last_date
    from daily_statistics
    where whole_id is not null and part_id is not null
    group by all
)

select
    id,
    part,
    coalesce(arg_max(name, last_used), part) as name,
    coalesce(list(name order by last_used desc) filter (name is not null)[2:], []) as former_names,
    marts.members_of(list(channels)) as channels,
    min(first_date) as first_date,
    max(last_date) as last_date
from by_name
group by id, part;

-- The kind of an event, by its name. The service may add names, so unknown ones are classified by their ending; null if that fails.
create macro marts.event_kind(event_name) as case
    when event_name = 'send_success' then 'succeeded'
    when event_name = 'send_failure' then 'failed'
    when event_name = 'failover_text_message_send_success' then 'failover_succeeded'
    when event_name = 'failover_text_message_send_failure' then 'failover_failed'
    when ends_with(event_name, '_click')
    then if(
        -- Closing a message, or refusing further messages, is not a click.
        regexp_matches(event_name, '(^|[_-])(close|dismiss|unsubscribe|opt[_-]?out|refuse|reject|spam|수신거부)[_-]')
        or coalesce(list_contains((select list(name) from ops.not_clicks), event_name), false),
        'closed',
        'clicked'
    )
    when ends_with(event_name, '_delivered') or ends_with(event_name, '_show') then 'delivered'
    when ends_with(event_name, '_open') then 'opened'
end;

-- The code in a failure reason, in capitals: '3018', 'blocked (3018)', '[e104] blocked', '3018: blocked', 'code=3018'; for e-mail
-- the extended status code, such as 5.1.1. Null if the reason has only words.
create macro marts.failure_code(reason) as nullif(
    coalesce(
        nullif(regexp_extract(
            reason, '(?:^|[45][0-9]{2}[ -]#?|[#:;(\[]\s*)([45]\.[0-9]{1,3}\.[0-9]{1,3})(?:[^0-9.]|\.?(?:\s|$))', 1
        ), ''),
        upper(regexp_replace(
            regexp_extract(
                reason,
                '(?i)^\s*[a-z]{0,4}[-_]?[0-9]{2,6}\s*(?:$|[:|]|[-–—]\s)|^\s*[(\[][a-z]{0,4}[-_]?[0-9]{2,6}[)\]]|[(\[][a-z]{0,4}[-_]?[0-9]{2,6}[)\]]\s*$|(?:code|코드|\berror|\bhttp|\bstatus|\breason)["'']?\s*[=:]?\s*["'']?[a-z]{0,4}[-_]?[0-9]{1,6}\b'
            ),
            '(?i)code|error|http|status|reason|[^a-z0-9]',
            '',
            'g'
        ))
    ),
    ''
);

-- A reason in lower case, without parts that match this pattern and without brackets.
create macro marts.failure_words(reason, parts) as nullif(
    left(trim(regexp_replace(regexp_replace(lower(reason), parts, '…', 'g'), '[\s…"(){}\[\],;:=]+', ' ', 'g')), 200), ''
);

-- What reasons with the same cause have in common: the code or, without one, the words without addresses, host names, quoted parts
-- and anything with a digit. A status of HTTP or SMTP such as 400 says little, so the words are used with it. Reasons without other
-- words keep their quoted parts and names, or else their numbers.
create macro marts.failure_key(reason) as case
    when not regexp_matches(marts.failure_code(reason), '^[0-9]{3}$') then marts.failure_code(reason)
    else coalesce(
        nullif(
            concat_ws(
                ' ',
                marts.failure_code(reason),
                coalesce(
                    marts.failure_words(
                        reason, '"[^"]*"|<[^>]*>|\S+@\S+|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+|[a-z0-9_-]*[0-9][a-z0-9_:-]*'
                    ),
                    marts.failure_words(reason, '\S+@\S+|[a-z0-9_-]*[0-9][a-z0-9_:-]*')
                )
            ),
            ''
        ),
        left(regexp_replace(lower(trim(reason)), '[0-9]{7,}', '…', 'g'), 200)
    )
end;

-- The cause of a failure, from Korean or English words in the reason, or from the status code of e-mail. Null for other words.
create macro marts.failure_cause(reason) as case
    when regexp_matches(reason, '(?i)provider ?token|certificate|인증서|발신 ?(번호|프로필)') then 'sender or rights'
    -- The message arrived at a browser or an app that does not show it, which no person refused.
    when regexp_matches(reason, '(?i)pop-?ups?\b.{0,20}block|block.{0,12}pop-?up|팝업|sdk.{0,3}version|image.{0,20}not.{0,6}load|이미지를? ?불러오')
        then 'not shown'
    when
        marts.failure_code(reason) like '5.1.%'
        or regexp_matches(
            reason,
            '(?i)not[ -]?registered|unregistered|(bad|expired) ?(device ?)?token|\b410\b.{0,3}gone|(subscription|token).{0,12}expired|entity was not found|not a valid .{0,20}token|(no such|unknown|invalid|unrouteable).{0,12}(user|mailbox|recipient|address|number|registration|token)|(user|mailbox|recipient|address|number|domain) (unknown|not found|does not exist)|\b55[0-9]\b.{0,60}mailbox unavailable|no mx record|결번|없는 ?번호|잘못된 ?번호|번호 ?오류|존재하지|미가입|비가입|가입자 ?없|미사용자|사용자가? ?아[님닙]|토큰.{0,4}만료'
        )
        then 'unknown recipient'
    when
        regexp_matches(reason, '(?i)\b[45]\.2\.2|(mailbox|inbox|memory|storage|device).{0,10}full|over ?quota|out of storage|용량|메모리|저장|가득')
        then 'no room left'
    -- A mail server that asks to try again refuses nothing.
    when regexp_matches(reason, '(?i)grey ?list|try again') then 'temporary'
    when
        regexp_matches(
            reason, '(?i)\b[45]\.7\.|spam|block|refus|denied|den[iy]|reject|blacklist|opt(ed)?[ -]?out|수신 ?거부|수신 ?동의|차단|스팸|거절'
        )
        then 'refused, blocked'
    when regexp_matches(reason, '(?i)template|content|format|too ?(large|big|long)|length|템플릿|형식|내용|문구|길이|크기')
        then 'template or text'
    when regexp_matches(reason, '(?i)time ?d? ?out|시간 ?초과') then 'temporary'
    when regexp_matches(reason, '(?i)rate ?limit|too ?many|quota|exceed|throttl|한도|초과|제한') then 'limit reached'
    when
        regexp_matches(
            reason,
            '(?i)\b4\.[0-9]+\.[0-9]+|time ?d? ?out|temporar|unreachable|unavailable|busy|power ?off|shutdown|internal ?(server ?)?error|grey ?list|try again|일시|전원|음영|무선망|지연|시간|시스템'
        )
        then 'temporary'
    when regexp_matches(reason, '(?i)sender|credential|auth|permission|발신|권한|인증') then 'sender or rights'
end;

-- Replaces each {word} in a sentence by its value in the map.
create macro marts.fill_words(sentence, words) as list_reduce(
    list_transform(map_entries(words), lambda entry: {'key': entry.key, 'value': coalesce(entry.value, '?')}),
    lambda text, entry: {'key': '', 'value': replace(text.value, '{' || entry.key || '}', entry.value)},
    {'key': '', 'value': sentence}
).value;

-- A share as in sentences: with one decimal, or two below 1%.
create macro marts.written_rate(share) as printf(if(share < 0.01, '%.2f%%', '%.1f%%'), 100 * share);

-- A variant's name in a Korean sentence: A becomes A안. Names such as 개선안 and 대조군 stay unchanged.
create macro marts.variant_in_korean(name) as if(regexp_matches(name, '[안군]$'), name, name || '안');

-- Names in lower case, for comparing them without case.
create macro marts.lower_case(names) as list_transform(names, lambda name: lower(name));

-- True if an id belongs to nobody: blank, a word that programs write if the id is missing, zeros, or one of the setting
-- placeholder_ids.
create macro marts.is_placeholder(given) as
    trim(given) = '' or coalesce(list_contains((select list(id) from ops.placeholder_ids), lower(trim(given))), false);

-- The id, or null if it belongs to nobody.
create macro marts.real_id(given) as if(marts.is_placeholder(given), null, given);

-- The strongest id of a record, as a number that never changes. Ids of different kinds never have the same number. Placeholders
-- count as missing. The type is BIGINT, because BI tools cannot read UBIGINT.
create macro marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as (md5_number_lower(
    case
        when marts.real_id(user_id) is not null then 'user_id ' || user_id
        when marts.real_id(service_user_id) is not null then 'service_user_id ' || service_user_id
        when marts.real_id(device_id) is not null then 'device_id ' || device_id
        when marts.real_id(service_device_id) is not null then 'service_device_id ' || service_device_id
    end
) >> 1)::bigint;

-- A time, rounded by at most 2% to the geometric middle of a step of 4%. The result stays on the same side of a minute, an hour and
-- a day. Zero stays zero.
create macro marts.middle_of_step(seconds) as pow(1.04, floor(ln(seconds) / ln(1.04)) + 0.5);

create macro marts.rounded_seconds(seconds) as case
    when seconds <= 0 then 0
    when seconds <= 60 then least(marts.middle_of_step(seconds), 60)
    when seconds <= 3600 then least(greatest(marts.middle_of_step(seconds), 60.001), 3600)
    when seconds <= 86400 then least(greatest(marts.middle_of_step(seconds), 3600.001), 86400)
    else greatest(marts.middle_of_step(seconds), 86400.001)
end::double;

-- The percentile of values that are given with their counts, equal to quantile_cont over the single values. Needs the count up to
-- each value, and the count of all.
create macro marts.histogram_quantile(value, count_so_far, count_of_all, share) as (
    min(value) filter (count_so_far > floor((count_of_all - 1) * share))
    + (any_value(count_of_all - 1) * share - floor(any_value(count_of_all - 1) * share))
    * (
        min(value) filter (count_so_far > ceil((count_of_all - 1) * share))
        - min(value) filter (count_so_far > floor((count_of_all - 1) * share))
    )
);

-- Percentiles and shares of response times, as a struct to unnest, like marts.performance. times is a relation with one row per
-- time (seconds): its number of responses (responses), the number of responses up to that time (responses_so_far), and of all
-- responses (all_responses).
create macro marts.response_profile(times) as {
    'responses': sum(times.responses)::bigint,
    'p50_seconds': marts.histogram_quantile(times.seconds, times.responses_so_far, times.all_responses, 0.5),
    'p90_seconds': marts.histogram_quantile(times.seconds, times.responses_so_far, times.all_responses, 0.9),
    'p99_seconds': marts.histogram_quantile(times.seconds, times.responses_so_far, times.all_responses, 0.99),
    'share_within_minute':
    coalesce(sum(times.responses) filter (times.seconds <= 60), 0) / nullif(sum(times.responses), 0),
    'share_within_hour':
    coalesce(sum(times.responses) filter (times.seconds <= 3600), 0) / nullif(sum(times.responses), 0),
    'share_within_day':
    coalesce(sum(times.responses) filter (times.seconds <= 86400), 0) / nullif(sum(times.responses), 0)
};

-- The steps in which messages per person are counted: one to five, then from 6, from 11, and from 21.
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

-- The name of a trend over groups, from its deviation in standard errors; null if that is unknown.
create macro marts.trend_by_deviations(deviations) as case
    when deviations < -3 then 'falling'
    when deviations > 3 then 'rising'
    when deviations is not null then 'steady'
end;

-- Whether a rate differs from an earlier one by more than three standard errors, and in which direction. Null if a rate has no base
-- or is above 1, because then messages count more than once. `is_bad`: the rate is one of failures, so that higher is worse.
create macro marts.rate_verdict(rate, base, earlier, earlier_base, is_bad) as case
    when not coalesce(rate between 0 and 1 and earlier between 0 and 1 and least(base, earlier_base) > 0, false) then null
    when
        abs(rate - earlier)
        <= greatest(3 * sqrt(rate * (1 - rate) / base + earlier * (1 - earlier) / earlier_base), 0.0005) then 'same'
    when (rate > earlier) <> is_bad then 'better'
    else 'worse'
end;

-- The change of a measure: the difference of a rate, or the relative change of a count or amount.
create macro marts.change_of(measure, value, previous) as
    if(measure like '%_rate', value - previous, value / nullif(previous, 0) - 1);

-- The number of days by which the compared range is earlier: the range directly before it, or for less than a week the same
-- weekdays a week earlier.
create macro marts.days_back(first_date, last_date) as greatest(last_date - first_date + 1, 7)::integer;

-- A sub-channel as the settings name it: `brand-message` for BRAND_MESSAGE.
create macro marts.sub_channel_name(given) as replace(lower(given), '_', '-');

create macro marts.is_display(channel) as coalesce(channel in ('in-app-message', 'in-web-message'), false);

-- True if an event is a message: a send, a failure, or a display in the app or on the web.
create macro marts.is_message(event_name, channel) as
    marts.event_kind(event_name) = 'failed'
    or marts.event_kind(event_name) = if(marts.is_display(channel), 'delivered', 'succeeded');

-- True if this event means that a message reached a person: it was sent, on its channel or as a text in its place. In-app and
-- in-web messages reach people when they are shown; webhooks reach systems, not people.
create macro marts.is_reaching(kind, channel) as case
    when channel = 'webhook' then false
    when marts.is_display(channel) then kind = 'delivered'
    else kind in ('succeeded', 'failover_succeeded')
end;

create macro marts.is_one_goal(lists) as coalesce(len(list_distinct(flatten(lists))), 0) <= 1;

-- Counters and rates of messages, as a struct to unnest: `select channel, unnest(marts.performance(message_days)) from
-- marts.message_days group by channel`. days is a relation with the counters of marts.message_days, such as that mart itself. A
-- rate counts only messages whose counter is known, and is null without any. Conversions of different goals are never added: over
-- several goals, sum and rate are null.
create macro marts.performance(days) as {
    'sent': sum(days.sent)::bigint,
    'failed': sum(days.failed)::bigint,
    'succeeded': sum(days.succeeded)::bigint,
    'delivered': sum(days.delivered)::bigint,
    'clicked': sum(days.clicked)::bigint,
    'conversions': if(marts.is_one_goal(list(distinct days.goals)), sum(days.conversions), null)::bigint,
    'direct_conversions': if(marts.is_one_goal(list(distinct days.goals)), sum(days.direct_conversions), null)::bigint,
    'failure_rate': sum(days.failed) filter (days.sent is not null)
    / nullif(sum(days.sent) filter (days.failed is not null), 0),
    'delivery_rate': sum(days.delivered) filter (days.deliverable is not null) / nullif(sum(days.deliverable), 0),
    'click_rate': sum(days.clicked) filter (days.clickable is not null) / nullif(sum(days.clickable), 0),
    'conversion_rate': if(
        marts.is_one_goal(list(distinct days.goals)),
        sum(days.conversions) filter (days.convertible is not null) / nullif(sum(days.convertible), 0),
        null
    ),
    'deliverable': sum(days.deliverable)::bigint,
    'clickable': sum(days.clickable)::bigint,
    'convertible': if(marts.is_one_goal(list(distinct days.goals)), sum(days.convertible), null)::bigint,
    'goals': marts.members_of(list(distinct days.goals))
};

-- True if a dimension of E19 is the currency of amounts. The service may add dimensions.
create macro marts.is_currency(dimension_key) as coalesce(regexp_matches(dimension_key, '(?i)currency|통화'), false);

-- The currency of amounts: the one that the service names, otherwise that of the settings (exports.currency), otherwise none.
create macro marts.currencies_of(named) as coalesce(
    named, (select list(currency) from ops.budget where currency is not null), []
);

-- The messages that could be clicked. For in-app and in-web messages, those that were shown, if that is known.
create macro marts.clickable_messages(channel, succeeded, delivered) as if(
    marts.is_display(channel), coalesce(delivered, succeeded), succeeded
);

-- What a template's status means for sending. The service may add statuses, so these patterns match the beginnings of words.
create macro marts.template_state(status) as case
    when regexp_matches(status, '(?i)(^|[^a-z])(rej|refus|den[iy]|declin|return|tsc04$)|반려|거절|거부|불가') then 'refused'
    when regexp_matches(status, '(?i)(^|[^a-z])(stop|stp$|susp|block|paus|dorman|inactiv|disab|banned)|중단|중지|정지|차단|휴면')
    then 'suspended'
end;

-- The 080 numbers in a text, as digits. Recipients call them to opt out.
create macro marts.shown_numbers(text) as list_distinct(list_transform(
    regexp_extract_all(text, '(?:^|[^0-9])(080[-. )]{0,2}[0-9]{3,4}[-. ]{0,2}[0-9]{4})(?:[^0-9]|$)', 1),
    lambda number: regexp_replace(number, '[^0-9]', '', 'g')
));

-- Messages that name their recipient, with the text and template that an opt-out may refer to.
create macro marts.addressed_messages() as table
select
    event_id,
    date,
    'text-message' as channel,
    recipient_no,
    concat_ws(' ', title, body) as text,
    'text' as template_kind,
    template_id as template
from text_messages
union all
select event_id, date, 'chatapp-friendtalk', recipient_no, content, null, null
from friendtalk_messages
union all
select event_id, date, 'chatapp-alimtalk', recipient_no, concat_ws(' ', content, template_extra), 'alimtalk', template_code
from alimtalk_messages;

-- The price of records, exact to the last digit of the price per record.
create macro marts.price_of(records, price_per_record) as
    records::decimal(18, 0) * coalesce(price_per_record, 0)::decimal(19, 12);

-- True if people can be counted. They cannot if privacy.columns drops an id of people.
create macro marts.counts_people() as
    coalesce((select not regexp_matches(columns, '\b(service_)?(user|device)_id: drop') from ops.privacy), true);

-- True if paid exports are needed for an answer: no events are loaded although messages were sent, or statistics are missing.
create macro marts.awaits_exports() as
    not exists (from ops.coverage where stream = 'events')
    and (
        exists (from daily_statistics where message_sent > 0)
        or not exists (from ops.coverage where stream = 'statistics')
    );

create table public_holidays (
    date date,
    name varchar,
    name_ko varchar
);

-- The sentences for verdicts on A/B tests: a seed table.
create table verdict_words (
    verdict_code varchar,
    sentence varchar,
    sentence_ko varchar
);

-- Tests of significance. DuckDB has no distributions of its own.

-- The complementary error function for x >= 0: a rational Chebyshev approximation, accurate to seven digits.
create macro marts.erfc(x) as
    1 / (1 + x / 2) * exp(
        list_reduce(
            [
                0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223
            ]::double[],
            lambda total, coefficient: total / (1 + x / 2) + coefficient
        ) - x * x
    );

-- The two-sided p-value of a normal z.
create macro marts.normal_two_sided_p(z) as marts.erfc(abs(z) / sqrt(2));

-- The p-value of a chi-squared value x with the given degrees of freedom.
create macro marts.chi_squared_p(x, freedom) as case
    when freedom is null then null
    when freedom % 2 = 0
    then exp(-x / 2) * list_sum(
        list_transform(range(freedom // 2), lambda i: pow(x / 2, i) / gamma(i + 1))
    )
    else marts.erfc(sqrt(x / 2)) + exp(-x / 2) * coalesce(
        list_sum(
            list_transform(range(1, (freedom + 1) // 2), lambda i: pow(x / 2, i - 0.5) / gamma(i + 0.5))
        ),
        0
    )
end;

-- The normal quantile for p >= 0.5: Hastings' rational approximation, accurate to 0.0005.
create macro marts.normal_quantile(p) as
    sqrt(-2 * ln(1 - p))
    - (2.515517 + 0.802853 * sqrt(-2 * ln(1 - p)) + 0.010328 * -2 * ln(1 - p))
    / (
        1 + 1.432788 * sqrt(-2 * ln(1 - p)) + 0.189269 * -2 * ln(1 - p)
        + 0.001308 * pow(sqrt(-2 * ln(1 - p)), 3)
    );

-- The probability that such a difference ever occurs by chance, however often you look (mixture sequential probability ratio test).
-- It assumes that true differences are spread around zero with the standard deviation `scale`.
create macro marts.sequential_p(difference, variance, scale) as case
    when difference is not null and scale > 0 and variance > 0 then least(
        1,
        sqrt(1 + scale * scale / variance)
        * exp(-scale * scale * difference * difference / (2 * variance * (variance + scale * scale)))
    )
end;

-- Half the width of that test's confidence sequence: at every look, a share of 1 - alpha of such intervals contain the true
-- difference.
create macro marts.sequential_half_width(variance, scale, alpha) as sqrt(
    variance * (1 + variance / (scale * scale)) * (ln(1 + scale * scale / variance) - 2 * ln(alpha))
);

-- The probability that people are ever split so far from the intended shares by chance, however often you look. The alternative is
-- a Dirichlet distribution around the shares with the weight of 100 people.
create macro marts.sequential_split_p(counts, shares) as case
    when list_sum(counts) > 0 then least(
        1,
        exp(
            lgamma(100 + list_sum(counts)) - lgamma(100)
            + list_sum(
                list_transform(
                    list_zip(counts, shares),
                    lambda arm: lgamma(100 * arm[2]) - lgamma(100 * arm[2] + arm[1]) + arm[1] * ln(arm[2])
                )
            )
        )
    )
end;

-- The 95 % interval (Wilson's) of a rate of `successes` in `trials`, if messages are independent of each other.
create macro marts.wilson_end(successes, trials, z) as (
    successes / trials + 1.9207 / trials
    + z * sqrt(greatest(0, successes / trials * (1 - successes / trials)) / trials + 0.9604 / (trials * trials))
) / (1 + 3.8415 / trials);

create macro marts.wilson_interval(successes, trials) as {
    'low': if(successes <= 0, 0.0 / trials, marts.wilson_end(successes, trials, -1.96)),
    'high': if(successes >= trials, trials / trials, marts.wilson_end(successes, trials, 1.96))
};

-- The exact two-sided p-value of `successes` in `trials`, each of which succeeds with that chance (binomial_p).
create macro marts.binomial_at_most(successes, trials, chance) as case
    when successes < 0 then 0
    else list_sum(
        list_transform(
            range((successes + 1)::bigint),
            lambda i: exp(
                lgamma(trials + 1) - lgamma(i + 1) - lgamma(trials - i + 1)
                + i * ln(chance) + (trials - i) * ln(1 - chance)
            )
        )
    )
end;

create macro marts.binomial_p(successes, trials, chance) as least(
    1,
    2 * marts.binomial_at_most(successes, trials, chance),
    greatest(0, 2 * (1 - marts.binomial_at_most(successes - 1, trials, chance)))
);

-- The 95 % interval (Newcombe's) of the difference of two rates, made of the intervals of each.
create macro marts.difference_interval(successes, trials, other_successes, other_trials) as {
    'low': successes / trials - other_successes / other_trials - sqrt(
        pow(successes / trials - marts.wilson_interval(successes, trials).low, 2)
        + pow(marts.wilson_interval(other_successes, other_trials).high - other_successes / other_trials, 2)
    ),
    'high': successes / trials - other_successes / other_trials + sqrt(
        pow(marts.wilson_interval(successes, trials).high - successes / trials, 2)
        + pow(other_successes / other_trials - marts.wilson_interval(other_successes, other_trials).low, 2)
    )
};

-- The two-sided p-value of the difference of two rates: the likelihood ratio of the four counts (G-test), with Yates' correction.
-- Counts may be fractions.
create macro marts.two_rates_p(successes, trials, other_successes, other_trials) as marts.normal_two_sided_p(
    sqrt(2 * greatest(
        0,
        list_sum(list_transform(
            [{
                'expected': trials * (successes + other_successes) / (trials + other_trials),
                'other_expected': other_trials * (successes + other_successes) / (trials + other_trials)
            }],
            lambda means: list_sum(list_transform(
                [
                    [successes, means.expected],
                    [other_successes, means.other_expected],
                    [trials - successes, trials - means.expected],
                    [other_trials - other_successes, other_trials - means.other_expected]
                ]::double[][],
                lambda cell: if(
                    abs(cell[1] - cell[2]) <= 0.5,
                    0,
                    (cell[1] - 0.5 * sign(cell[1] - cell[2]))
                    * ln((cell[1] - 0.5 * sign(cell[1] - cell[2])) / cell[2])
                )
            ))
        ))
    ))
);
