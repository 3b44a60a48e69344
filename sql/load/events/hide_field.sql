update staged
set {field} = hidden_values.hidden_value
from hidden_values
where staged.{field} = hidden_values.value and hidden_values.field = '{field}';
