create or replace temp table staged as
from typed_records('pages');
