update hidden_values set hidden_value = hidden(value);
