; Definitions of Bash.
(function_definition name: (word) @name body: (_) @body) @def.function
(program (variable_assignment name: (variable_name) @name) @def.var)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.var)
