delete from ops.exports;
