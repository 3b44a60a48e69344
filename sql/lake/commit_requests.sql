-- Whether the catalog took a commit of several tables as one request.

select count(*) as requests
from duckdb_logs_parsed('HTTP')
where request.type = 'POST' and request.url like '%/transactions/commit';
