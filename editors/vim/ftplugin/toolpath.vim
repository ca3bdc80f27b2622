" Toolpath documents are JSON.
runtime! ftplugin/json.vim
