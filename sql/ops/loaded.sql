select pull from ops.loads;
