; Definitions of PHP.
(function_definition name: (name) @name body: (_) @body) @def.function
(class_declaration name: (name) @name body: (_) @body) @def.class
(interface_declaration name: (name) @name body: (_) @body) @def.interface
(trait_declaration name: (name) @name body: (_) @body) @def.trait
(enum_declaration name: (name) @name body: (_) @body) @def.enum
(enum_case name: (name) @name) @def.variant
(method_declaration name: (name) @name body: (_)? @body) @def.method
(property_declaration (property_element name: (_) @name)) @def.field
(const_declaration (const_element (name) @name)) @def.const
(namespace_definition name: (_) @name body: (_)? @body) @def.mod
(namespace_use_declaration (_) @name) @def.import
