"""The weekly upkeep of a lake, with Spark: marked rows leave the files, small files and lists of files become few, old snapshots
and files that nothing refers to go. Run it while no push runs; the later of the two is refused, without damage.

    spark-submit --properties-file lake.conf lake_upkeep.py CATALOG NAMESPACE [--days 2] [--keep-snapshots]

CATALOG is Spark's name of the catalog, NAMESPACE is lake.namespace. With --keep-snapshots nothing is expired or removed: for
catalogs that do that themselves. The exit code is 1 where a step failed for any table."""

import argparse
import collections
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

from pyspark.sql import SparkSession

arguments = argparse.ArgumentParser(description="The weekly upkeep of a lake.")
arguments.add_argument("catalog")
arguments.add_argument("namespace")
arguments.add_argument("--days", type=int, default=2, help="how long snapshots stay that nobody needs (default: 2)")
arguments.add_argument("--keep-snapshots", action="store_true", help="expire and remove nothing")
given = arguments.parse_args()

# A file with a single marked row is written anew, and no file of marks is left: data is erased only so.
STEPS = {
    "rewrite_data_files": "options => map('delete-file-threshold', '1', 'remove-dangling-deletes', 'true')",
    "rewrite_manifests": "use_caching => false",
}
if not given.keep_snapshots:
    until = datetime.now(timezone.utc) - timedelta(days=given.days)
    STEPS["expire_snapshots"] = f"older_than => timestamp '{until:%Y-%m-%d %H:%M:%S} UTC', retain_last => 1"
    STEPS["remove_orphan_files"] = "prefix_listing => true"

spark = SparkSession.builder.appName("lake upkeep").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
failed = collections.defaultdict(list)


def keep_up(table):
    for step, how in STEPS.items():
        try:
            spark.sql(f"call {given.catalog}.system.{step}(table => '{table}', {how})").collect()
        except Exception as error:  # Told at the end; the other steps and tables go on.
            failed[step].append((table, str(error).splitlines()[0]))


tables = [
    f"{namespace}.{row.tableName}"
    for namespace in (given.namespace, f"{given.namespace}_ops", f"{given.namespace}_marts")
    for row in spark.sql(f"show tables in {given.catalog}.{namespace}").collect()
]
with ThreadPoolExecutor(4) as pool:
    list(pool.map(keep_up, tables))
for step, those in failed.items():
    print(f"{step} failed for {len(those)} of {len(tables)} tables; of {those[0][0]}: {those[0][1]}", file=sys.stderr)
print(f"{len(tables)} tables: {', '.join(step for step in STEPS if step not in failed) or 'nothing'} done")
spark.stop()
sys.exit(1 if failed else 0)
