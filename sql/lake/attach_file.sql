-- The published file beside the lake. Its views name their tables without a catalog, so it is the one in use.

attach {path} as warehouse (read_only);

use warehouse;
