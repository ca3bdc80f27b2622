-- Defines :Toolpath. Nothing else is loaded before the command is used or setup() is called.

if vim.g.loaded_toolpath or vim.fn.has('nvim-0.7') == 0 then
  return
end
vim.g.loaded_toolpath = true

vim.api.nvim_create_user_command('Toolpath', function(args)
  require('toolpath.command').run(args.fargs, args.mods)
end, {
  nargs = '*',
  desc = 'Toolpath provenance: who wrote the lines, and the steps in which they did',
  complete = function(lead, line, cursor)
    return require('toolpath.command').complete(lead, line:sub(1, cursor))
  end,
})
