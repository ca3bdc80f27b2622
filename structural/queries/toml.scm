; Keys and tables of TOML.
(pair (bare_key) @name) @def.key
(pair (dotted_key) @name) @def.key
(pair (quoted_key) @name) @def.key
(table . (_) @name) @def.table
(table_array_element . (_) @name) @def.table
