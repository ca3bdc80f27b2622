; Definitions of C#.
(class_declaration name: (identifier) @name body: (_)? @body) @def.class
(record_declaration name: (identifier) @name body: (_)? @body) @def.class
(struct_declaration name: (identifier) @name body: (_)? @body) @def.struct
(interface_declaration name: (identifier) @name body: (_)? @body) @def.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @def.enum
(enum_member_declaration name: (identifier) @name) @def.variant
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(local_function_statement name: (identifier) @name body: (_)? @body) @def.function
(constructor_declaration name: (identifier) @name body: (_)? @body) @def.method
(property_declaration name: (identifier) @name) @def.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(delegate_declaration name: (identifier) @name) @def.type
(namespace_declaration name: (_) @name body: (_)? @body) @def.mod
(file_scoped_namespace_declaration name: (_) @name) @def.mod
(using_directive (_) @name) @def.import
