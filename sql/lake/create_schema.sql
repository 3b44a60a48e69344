create schema if not exists lake.{schema};
