delete from ops.models where relation = $relation;
