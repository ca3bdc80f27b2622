; Definitions of Ruby. A singleton method's @recv is its object.
(method name: (_) @name) @def.method
(singleton_method object: (_) @recv name: (_) @name) @def.method
(class name: (_) @name body: (_)? @body) @def.class
(module name: (_) @name body: (_)? @body) @def.mod
(assignment left: (constant) @name) @def.const
(alias name: (_) @name) @def.method
