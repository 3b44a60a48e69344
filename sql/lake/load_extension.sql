load {extension};
