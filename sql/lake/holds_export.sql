select exists (from lake.{main}.events where export_date in ({days})) as held;
