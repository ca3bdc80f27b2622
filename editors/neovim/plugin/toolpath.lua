-- Defines :Toolpath. Nothing else is loaded before the command is used or setup() is called.

if vim.g.loaded_toolpath or vim.fn.has('nvim-0.7') == 0 then
  return
end
vim.g.loaded_toolpath = true

vim.api.nvim_create_user_command('Toolpath', function(args)
  require('toolpath').run(args.fargs)
end, {
  nargs = '+',
  desc = 'Toolpath provenance: parent, child, head, steps, blame',
  complete = function(lead, line)
    return require('toolpath').complete(lead, line)
  end,
})
