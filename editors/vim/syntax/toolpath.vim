" Toolpath documents are JSON.
runtime! syntax/json.vim
