-- What the macros of the file were made from: they are made anew when their text changes.
create macro macros.made_of() as table select '{version}' as version;
