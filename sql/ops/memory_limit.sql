set memory_limit = '{megabytes}MB';
set threads = {threads};
