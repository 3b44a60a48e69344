-- title: Templates and titles
-- question: Which templates and titles do best on each channel?
-- params:
--   channel (varchar, default null): only this channel, such as push-notification
--   least_sent (bigint, default 1, from 0): only contents sent so often
-- In other DuckDB clients, set parameters before: set variable channel = 'chatapp-alimtalk';
-- example:
--   channel           content_kind   content     sent  failed  delivered  clicked  failure_rate  delivery_rate  …
--   chatapp-alimtalk  template_code  tpl-Zt20Pq  2138  87                          0.0407                       …
--   chatapp-alimtalk  template_code  tpl-b5Rn7x  1832  65                          0.0355                       …
--   chatapp-alimtalk  template_code  tpl-wE91kd  1120  48                          0.0429                       …

select
    content_performance.channel,
    content_performance.content_kind,
    content_performance.content,
    content_performance.sent,
    content_performance.failed,
    content_performance.delivered,
    content_performance.clicked,
    round(content_performance.failure_rate, 4) as failure_rate,
    round(content_performance.delivery_rate, 4) as delivery_rate,
    round(content_performance.click_rate, 4) as click_rate,
    content_performance.first_date,
    content_performance.last_date
from marts.content_performance
where
    content_performance.sent >= coalesce(getvariable('least_sent')::bigint, 1)
    and marts.matches('channel', content_performance.channel)
order by content_performance.channel, content_performance.sent desc, content_performance.content;
