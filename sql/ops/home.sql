select current_database() as home;
