; Definitions of Python.
(function_definition name: (identifier) @name body: (_) @body) @def.function
(class_definition name: (identifier) @name body: (_) @body) @def.class
(module (expression_statement (assignment left: (identifier) @name)) @def.var)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @def.field))
(type_alias_statement left: (_) @name) @def.type
(import_statement name: (_) @name) @def.import
(import_from_statement module_name: (_) @name) @def.import
(future_import_statement) @def.import
