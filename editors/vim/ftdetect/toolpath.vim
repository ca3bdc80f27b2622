" A type of its own: linters of JSON, which know nothing of the format, would double every fault.
autocmd BufRead,BufNewFile *.path.json,*.path.jsonl setlocal filetype=toolpath
