" Toolpath documents are JSON.
runtime! indent/json.vim
