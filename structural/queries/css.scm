; Rules of CSS.
(rule_set (selectors) @name (block) @body) @def.rule
(keyframes_statement (keyframes_name) @name) @def.rule
