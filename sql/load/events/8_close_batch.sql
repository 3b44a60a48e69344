use {home};
detach {batch};
