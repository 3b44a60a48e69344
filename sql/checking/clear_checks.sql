delete from ops.checks where name in ({names});
