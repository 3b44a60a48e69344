create view {relation} as {select};
