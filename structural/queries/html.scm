; Elements of HTML.
(element (start_tag (tag_name) @name)) @def.element
(script_element (start_tag (tag_name) @name)) @def.element
(style_element (start_tag (tag_name) @name)) @def.element
