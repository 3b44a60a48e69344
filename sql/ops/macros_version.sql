select version from macros.made_of();
