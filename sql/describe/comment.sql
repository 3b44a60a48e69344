comment on {kind} {name} is '{text}';
