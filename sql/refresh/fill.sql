insert into {relation} by name {select};
