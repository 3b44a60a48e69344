"""One Spark session that reads an Iceberg catalog. Each line of standard input is a request in JSON, each line of standard
output the answer to one of them: {"id": 1, "sql": "select 1 as one"}, {"id": 1, "rows": [{"one": 1}]}. It ends with its input."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # Whatever Spark prints is no answer.

builder = SparkSession.builder
for name, value in json.loads(sys.argv[1]).items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def copy(table, folder):
    """The rows of a table as Parquet, which keeps every type."""
    spark.table(table).coalesce(1).write.parquet(f"{folder}/{table}")
    return table


def answer(line):
    request = json.loads(line)
    try:
        if "copy" in request:
            with ThreadPoolExecutor(4) as pool:
                tables = [
                    f"lake.{namespace}.{row.tableName}"
                    for namespace in request["copy"]
                    for row in spark.sql(f"show tables in lake.{namespace}").collect()
                ]
                rows = list(pool.map(lambda table: copy(table, request["folder"]), tables))
        else:
            rows = [row.asDict(recursive=True) for row in spark.sql(request["sql"]).collect()]
        reply = {"id": request["id"], "rows": rows}
    except Exception as error:  # The one who asked is told.
        reply = {"id": request["id"], "error": str(error)}
    answers.write(json.dumps(reply, default=str, ensure_ascii=False) + "\n")
    answers.flush()


with ThreadPoolExecutor(4) as requests:
    for line in sys.stdin:
        requests.submit(answer, line)
