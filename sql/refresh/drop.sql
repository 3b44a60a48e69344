drop {kind} if exists {relation};
