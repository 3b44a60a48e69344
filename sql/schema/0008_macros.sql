-- Macros and seeds of the marts, for models and analysts alike; sql/models defines the marts themselves.

create schema marts;

-- Whether a stream consists of snapshots, which show today's list. Such a stream has no past days that could be missing.
create macro marts.is_snapshot(stream) as
    stream in ('catalogs', 'brand_templates', 'alimtalk_templates', 'opt_outs');

-- The days that a query is about: from the session's variable `start` to its variable `end`. Unless they are set: the last `days`
-- days up to the latest day of the stream; without `days`, all of its days.
create macro marts.period(held_stream, days := null) as table
select
    coalesce(getvariable('end')::date, last_held) as last_date,
    coalesce(getvariable('start')::date, last_date - (days::integer - 1), first_held) as first_date,
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

-- Whether a value is the one in the session's variable of this name; true for any value unless the variable is set.
create macro marts.matches(variable, value) as
    getvariable(variable)::varchar is null or value = getvariable(variable)::varchar;

-- The session variable of this name, which is one of the choices; by default the first.
create macro marts.choice(variable, choices) as case
    when getvariable(variable) is null then choices[1]
    when list_contains(choices, getvariable(variable)::varchar) then getvariable(variable)::varchar
    else error(variable || ' must be one of ' || array_to_string(choices, ', '))
end;

-- The number of days of a stream between two days.
create macro marts.days_held(held_stream, first_day, last_day) as (
    select count(*) from ops.coverage where stream = held_stream and date between first_day and last_day
);

-- The number of days with statistics but without events, on which texts sent instead of failed messages are unknown.
create macro marts.days_without_texts(first_day, last_day) as (
    select count(*)
    from (from ops.coverage where stream = 'statistics')
    anti join (from ops.coverage where stream = 'events') as events using (date)
    where date between first_day and last_day
);

-- A list of days as text, in ranges: the first 20, then the number of the others. Null without any.
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

-- The distinct members of lists, sorted; null without any.
create macro marts.members_of(lists) as nullif(list_sort(list_distinct(flatten(lists))), []);

-- The columns that campaigns, variants, journeys and nodes share: the latest name, or the id without one, and earlier names.
-- Parameters are the columns of daily_statistics with id and name; a part has the id of the whole and its own.
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

-- The kind of an event, by its name. Names are an open vocabulary: unknown ones are classified by their ending, else null.
create macro marts.event_kind(event_name) as case
    when event_name = 'send_success' then 'succeeded'
    when event_name = 'send_failure' then 'failed'
    when event_name = 'failover_text_message_send_success' then 'failover_succeeded'
    when event_name = 'failover_text_message_send_failure' then 'failover_failed'
    when ends_with(event_name, '_click')
    then if(
        -- Closing a message, or refusing further ones, shows no interest in it.
        regexp_matches(event_name, '(^|[_-])(close|dismiss|unsubscribe|opt[_-]?out|refuse|reject|spam|수신거부)[_-]')
        or coalesce(list_contains((select list(name) from ops.not_clicks), event_name), false),
        'closed',
        'clicked'
    )
    when ends_with(event_name, '_delivered') or ends_with(event_name, '_show') then 'delivered'
    when ends_with(event_name, '_open') then 'opened'
end;

-- The code in a reason, in capitals: '3018', 'blocked (3018)', '[e104] blocked', '3018: blocked', 'code=3018', and of e-mail the
-- extended status code, such as 5.1.1. Null for a reason in words alone.
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

-- A reason in small letters, without the parts that this pattern matches and without brackets.
create macro marts.failure_words(reason, parts) as nullif(
    left(trim(regexp_replace(regexp_replace(lower(reason), parts, '…', 'g'), '[\s…"(){}\[\],;:=]+', ' ', 'g')), 200), ''
);

-- What reasons of one cause have in common: their code or, without one, their words without addresses, names of hosts, quoted parts
-- and anything with a digit. A status of HTTP or SMTP such as 400 says little without the words. Reasons that have no other words
-- keep their quoted parts and names, and then their numbers.
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

-- Why a message failed, by the words of the reason in English or Korean, or by the status code of e-mail; null for other words.
create macro marts.failure_cause(reason) as case
    when regexp_matches(reason, '(?i)provider ?token|certificate|인증서|발신 ?(번호|프로필)') then 'sender'
    when
        marts.failure_code(reason) like '5.1.%'
        or regexp_matches(
            reason,
            '(?i)not[ -]?registered|unregistered|(bad|expired) ?(device ?)?token|\b410\b.{0,3}gone|(subscription|token).{0,12}expired|entity was not found|not a valid .{0,20}token|(no such|unknown|invalid|unrouteable).{0,12}(user|mailbox|recipient|address|number|registration|token)|(user|mailbox|recipient|address|number|domain) (unknown|not found|does not exist)|\b55[0-9]\b.{0,60}mailbox unavailable|no mx record|결번|없는 ?번호|잘못된 ?번호|번호 ?오류|존재하지|미가입|비가입|가입자 ?없|미사용자|사용자가? ?아[님닙]|토큰.{0,4}만료'
        )
        then 'unknown recipient'
    when
        regexp_matches(reason, '(?i)\b[45]\.2\.2|(mailbox|inbox|memory|storage|device).{0,10}full|over ?quota|out of storage|용량|메모리|저장|가득')
        then 'full'
    when
        regexp_matches(
            reason, '(?i)\b[45]\.7\.|spam|block|refus|denied|den[iy]|reject|blacklist|opt(ed)?[ -]?out|수신 ?거부|수신 ?동의|차단|스팸|거절'
        )
        then 'refused'
    when regexp_matches(reason, '(?i)template|content|format|too ?(large|big|long)|length|템플릿|형식|내용|문구|길이|크기')
        then 'template or text'
    when regexp_matches(reason, '(?i)time ?d? ?out|시간 ?초과') then 'temporary'
    when regexp_matches(reason, '(?i)rate ?limit|too ?many|quota|exceed|throttl|한도|초과|제한') then 'limit'
    when
        regexp_matches(
            reason,
            '(?i)\b4\.[0-9]+\.[0-9]+|time ?d? ?out|temporar|unreachable|unavailable|busy|power ?off|shutdown|internal ?(server ?)?error|grey ?list|try again|일시|전원|음영|무선망|지연|시간|시스템'
        )
        then 'temporary'
    when regexp_matches(reason, '(?i)sender|credential|auth|permission|발신|권한|인증') then 'sender'
end;

-- A sentence with each {word} replaced by its value in the map.
create macro marts.fill_words(sentence, words) as list_reduce(
    list_transform(map_entries(words), lambda entry: {'key': entry.key, 'value': coalesce(entry.value, '?')}),
    lambda text, entry: {'key': '', 'value': replace(text.value, '{' || entry.key || '}', entry.value)},
    {'key': '', 'value': sentence}
).value;

-- A share as sentences write it: one decimal, below 1% two.
create macro marts.written_rate(share) as printf(if(share < 0.01, '%.2f%%', '%.1f%%'), 100 * share);

-- A variant in a Korean sentence: A안. Names such as 개선안 and 대조군 stay as they are.
create macro marts.variant_in_korean(name) as if(regexp_matches(name, '[안군]$'), name, name || '안');

-- Names compared without case.
create macro marts.lower_case(names) as list_transform(names, lambda name: lower(name));

-- Whether an id is nobody's: blank, a word that programs write for a missing id, zeros, or one of the setting placeholder_ids.
create macro marts.is_placeholder(given) as
    trim(given) = '' or coalesce(list_contains((select list(id) from ops.placeholder_ids), lower(trim(given))), false);

-- An id, or null if it is nobody's.
create macro marts.real_id(given) as if(marts.is_placeholder(given), null, given);

-- The strongest id of a record, as a number that never changes. Ids of different kinds are never equal; placeholders count as missing.
-- BI tools read BIGINT, and not UBIGINT.
create macro marts.strongest_id(user_id, service_user_id, device_id, service_device_id) as (md5_number_lower(
    case
        when marts.real_id(user_id) is not null then 'user_id ' || user_id
        when marts.real_id(service_user_id) is not null then 'service_user_id ' || service_user_id
        when marts.real_id(device_id) is not null then 'device_id ' || device_id
        when marts.real_id(service_device_id) is not null then 'service_device_id ' || service_device_id
    end
) >> 1)::bigint;

-- A time rounded by at most 2%, to the geometric middle of a step of 4%. It stays on the same side of a minute, an hour and a
-- day, and zero stays zero.
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

-- Percentiles and shares of response times, as a struct to unnest like marts.performance. times is a relation with one row for
-- each time (seconds): the number of its responses (responses), of responses up to that time (responses_so_far), and of all
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

-- The name of a trend over groups by its distance from none, in standard errors; null if it is unknown.
create macro marts.trend_by_deviations(deviations) as case
    when deviations < -3 then 'falling'
    when deviations > 3 then 'rising'
    when deviations is not null then 'steady'
end;

-- Whether a rate is better or worse than an earlier one by more than three standard errors of their difference; null if a rate is above
-- 1, because messages count more than once then, or has no base. `is_bad`: a rate of failures.
create macro marts.rate_verdict(rate, base, earlier, earlier_base, is_bad) as case
    when not coalesce(rate between 0 and 1 and earlier between 0 and 1 and least(base, earlier_base) > 0, false) then null
    when
        abs(rate - earlier)
        <= greatest(3 * sqrt(rate * (1 - rate) / base + earlier * (1 - earlier) / earlier_base), 0.0005) then 'same'
    when (rate > earlier) <> is_bad then 'better'
    else 'worse'
end;

-- A change: of a rate the difference, of a count or an amount the share of the earlier one.
create macro marts.change_of(measure, value, previous) as
    if(measure like '%_rate', value - previous, value / nullif(previous, 0) - 1);

-- How many days before a range the compared one is: directly before it, but for less than a week a whole week, so that weekdays match.
create macro marts.days_back(first_date, last_date) as greatest(last_date - first_date + 1, 7)::integer;

-- A sub-channel as settings name it: `brand-message` for BRAND_MESSAGE.
create macro marts.sub_channel_name(given) as replace(lower(given), '_', '-');

create macro marts.is_display(channel) as coalesce(channel in ('in-app-message', 'in-web-message'), false);

-- Whether an event is a message: a send, a failure, or a display in the app or on the web.
create macro marts.is_message(event_name, channel) as
    marts.event_kind(event_name) = 'failed'
    or marts.event_kind(event_name) = if(marts.is_display(channel), 'delivered', 'succeeded');

-- Whether a message reached a person with that event: it was sent, on its channel or as a text instead. In-app and in-web
-- messages reach people by being shown; webhooks go to systems.
create macro marts.is_reaching(kind, channel) as case
    when channel = 'webhook' then false
    when marts.is_display(channel) then kind = 'delivered'
    else kind in ('succeeded', 'failover_succeeded')
end;

create macro marts.is_one_goal(lists) as coalesce(len(list_distinct(flatten(lists))), 0) <= 1;

-- Counters and rates of messages, as a struct to unnest: `select channel, unnest(marts.performance(message_days)) from
-- marts.message_days group by channel`. days is a relation with the counters of marts.message_days, such as that mart
-- itself or any that is made of it. A rate divides by the messages of which its counter is known, and counts what became of
-- these messages alone; it is null without any.
-- Conversions of different goals never add up: over several goals, sum and rate are null.
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

-- Whether a dimension of E19 is the currency of amounts. Its keys are an open vocabulary.
create macro marts.is_currency(dimension_key) as coalesce(regexp_matches(dimension_key, '(?i)currency|통화'), false);

-- The currencies of amounts: those that the service names, otherwise that of the settings (exports.currency), otherwise none.
create macro marts.currencies_of(named) as coalesce(
    named, (select list(currency) from ops.budget where currency is not null), []
);

-- The messages that could be clicked: for in-app and in-web messages those that were shown, if that is known.
create macro marts.clickable_messages(channel, succeeded, delivered) as if(
    marts.is_display(channel), coalesce(delivered, succeeded), succeeded
);

-- The effect of a template's status on sending. Statuses are an open vocabulary: these are the beginnings of their words.
create macro marts.template_state(status) as case
    when regexp_matches(status, '(?i)(^|[^a-z])(rej|refus|den[iy]|declin|return|tsc04$)|반려|거절|거부|불가') then 'refused'
    when regexp_matches(status, '(?i)(^|[^a-z])(stop|stp$|susp|block|paus|dorman|inactiv|disab|banned)|중단|중지|정지|차단|휴면')
    then 'suspended'
end;

-- The 080 numbers in a text, which its recipient can call to opt out, as digits.
create macro marts.shown_numbers(text) as list_distinct(list_transform(
    regexp_extract_all(text, '(?:^|[^0-9])(080[-. )]{0,2}[0-9]{3,4}[-. ]{0,2}[0-9]{4})(?:[^0-9]|$)', 1),
    lambda number: regexp_replace(number, '[^0-9]', '', 'g')
));

-- Messages that name their recipient, with the text and the template that an opt-out may be about.
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

-- The cost of records, exact to the last digit of the price.
create macro marts.price_of(records, price_per_record) as
    records::decimal(18, 0) * coalesce(price_per_record, 0)::decimal(19, 12);

-- Whether people can be counted: not if privacy.columns drops an id of people.
create macro marts.counts_people() as
    coalesce((select not regexp_matches(columns, '\b(service_)?(user|device)_id: drop') from ops.privacy), true);

-- Whether paid exports would give an answer: no events are loaded, although messages were sent, or statistics are missing.
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

-- The sentences of verdicts on A/B tests: a seed.
create table verdict_words (
    verdict_code varchar,
    sentence varchar,
    sentence_ko varchar
);

-- Tests of significance: DuckDB has no distributions of its own.

-- The complementary error function of x >= 0, by its rational Chebyshev approximation, accurate to seven digits.
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

-- The p-value of a chi-squared x with the given degrees of freedom.
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

-- The normal quantile of p >= 0.5, by Hastings' rational approximation, accurate to 0.0005.
create macro marts.normal_quantile(p) as
    sqrt(-2 * ln(1 - p))
    - (2.515517 + 0.802853 * sqrt(-2 * ln(1 - p)) + 0.010328 * -2 * ln(1 - p))
    / (
        1 + 1.432788 * sqrt(-2 * ln(1 - p)) + 0.189269 * -2 * ln(1 - p)
        + 0.001308 * pow(sqrt(-2 * ln(1 - p)), 3)
    );

-- The probability that chance alone ever shows such a difference, however often one looks (mixture sequential probability ratio
-- test). True differences are assumed to spread around zero with the standard deviation `scale`.
create macro marts.sequential_p(difference, variance, scale) as case
    when difference is not null and scale > 0 and variance > 0 then least(
        1,
        sqrt(1 + scale * scale / variance)
        * exp(-scale * scale * difference * difference / (2 * variance * (variance + scale * scale)))
    )
end;

-- Half the width of the confidence sequence of that test: 1 - alpha of them contain the true difference at every look.
create macro marts.sequential_half_width(variance, scale, alpha) as sqrt(
    variance * (1 + variance / (scale * scale)) * (ln(1 + scale * scale / variance) - 2 * ln(alpha))
);

-- The probability that chance alone ever splits people so far from the intended shares, however often one looks. The alternative
-- is a Dirichlet distribution around the shares with the weight of 100 people.
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
