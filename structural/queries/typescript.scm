; Definitions of TypeScript.
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

(abstract_class_declaration name: (_) @name body: (_) @body) @def.class
(function_signature name: (identifier) @name) @def.function
(method_signature name: (_) @name) @def.method
(abstract_method_signature name: (_) @name) @def.method
(public_field_definition name: (_) @name) @def.field
(property_signature name: (_) @name) @def.field
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(type_alias_declaration name: (_) @name) @def.type
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(internal_module name: (_) @name body: (_)? @body) @def.mod
(module name: (_) @name body: (_)? @body) @def.mod
