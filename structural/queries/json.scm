; Keys of JSON.
(pair key: (string) @name) @def.key
