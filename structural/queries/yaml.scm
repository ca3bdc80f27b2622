; Keys of YAML.
(block_mapping_pair key: (_) @name) @def.key
(flow_pair key: (_) @name) @def.key
