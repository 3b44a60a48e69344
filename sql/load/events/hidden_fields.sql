select distinct field from hidden_values order by field;
