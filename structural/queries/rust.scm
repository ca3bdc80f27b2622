; Definitions of Rust. An impl's @name is its type, and @recv its trait.
(function_item name: (identifier) @name body: (_) @body) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.variant
(trait_item name: (type_identifier) @name body: (_) @body) @def.trait
(impl_item trait: (_)? @recv type: (_) @name body: (_)? @body) @def.impl
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(const_item name: (identifier) @name) @def.const
(static_item name: (identifier) @name) @def.static
(macro_definition name: (identifier) @name) @def.macro
(mod_item name: (identifier) @name body: (_)? @body) @def.mod
(field_declaration name: (field_identifier) @name) @def.field
(use_declaration argument: (_) @name) @def.import
(extern_crate_declaration name: (identifier) @name) @def.import
