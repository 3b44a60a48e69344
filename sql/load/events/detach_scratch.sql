use {home};
detach {scratch};
