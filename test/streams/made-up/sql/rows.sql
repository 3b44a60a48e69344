select 'volumes' as stream, date from volumes;
