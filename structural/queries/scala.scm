; Definitions of Scala.
(function_definition name: (_) @name body: (_)? @body) @def.function
(function_declaration name: (_) @name) @def.function
(class_definition name: (_) @name body: (_)? @body) @def.class
(object_definition name: (_) @name body: (_)? @body) @def.class
(trait_definition name: (_) @name body: (_)? @body) @def.trait
(enum_definition name: (_) @name body: (_)? @body) @def.enum
(val_definition pattern: (identifier) @name) @def.const
(var_definition pattern: (identifier) @name) @def.var
(type_definition name: (_) @name) @def.type
(import_declaration) @def.import
