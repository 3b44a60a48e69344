select distinct place from fields order by place;
