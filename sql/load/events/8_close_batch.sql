set search_path = '{home}.main,{home}.macros';
detach {batch};
