delete from ops.model_days where relation = $relation;
