insert into covered_days
select '{stream}', unnest([{days}]);
