-- The configuration that vim.lsp.enable('toolpath') uses, from Neovim 0.11 on.

return require('toolpath.client').config()
