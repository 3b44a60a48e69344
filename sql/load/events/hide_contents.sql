update given_contents
set title = hidden(title)
where may_be_personal(title);

update given_contents
set body = hidden(body)
where may_be_personal(body);

update given_contents
set html = hidden(html)
where may_be_personal(html);

update given_lines
set hidden_line = hidden(line);
