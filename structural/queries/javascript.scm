; Definitions of JavaScript.
(function_declaration name: (identifier) @name body: (_) @body) @def.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @def.function
(class_declaration name: (_) @name body: (_) @body) @def.class
(method_definition name: (_) @name body: (_) @body) @def.method
(lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body))) @def.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (function_expression body: (_) @body))) @def.function
(program (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @def.const)
(program (lexical_declaration "let" (variable_declarator name: (identifier) @name)) @def.var)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def.var)
(program (export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @def.const))
(program (export_statement (lexical_declaration "let" (variable_declarator name: (identifier) @name)) @def.var))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @def.var))
(import_statement source: (_) @name) @def.import

(class_body (field_definition property: (_) @name) @def.field)
