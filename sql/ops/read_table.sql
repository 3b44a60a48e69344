select bit_xor(hash(one)) as checksum
from {table} as one;
