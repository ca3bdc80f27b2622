; Definitions of C. A prototype is a @def.declaration.
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @def.function
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @name)) @def.declaration)
(struct_specifier name: (_) @name body: (_) @body) @def.struct
(union_specifier name: (_) @name body: (_) @body) @def.struct
(enum_specifier name: (_) @name body: (_) @body) @def.enum
(enumerator name: (identifier) @name) @def.variant
(type_definition declarator: (type_identifier) @name) @def.type
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @def.var)
(translation_unit (declaration declarator: (identifier) @name) @def.var)
(field_declaration declarator: (field_identifier) @name) @def.field
(preproc_def name: (identifier) @name) @def.macro
(preproc_function_def name: (identifier) @name) @def.macro
(preproc_include path: (_) @name) @def.import
