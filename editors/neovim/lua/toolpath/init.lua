-- Toolpath for Neovim: setup(), and what other plugins and configurations call.

local client = require('toolpath.client')
local disk = require('toolpath.disk')
local inline = require('toolpath.inline')
local lens = require('toolpath.lens')
local message = require('toolpath.message')
local options = require('toolpath.options')
local provenance = require('toolpath.provenance')
local virtual = require('toolpath.virtual')

local M = {}

local function on_attached(bufnr)
  disk.watch(client.of(bufnr))
  lens.refresh(bufnr)
  provenance.on_attached(bufnr)
end

-- Neovim 0.11 starts the server by file type, so a file without one is left to the second event;
-- before 0.11 every file is. A client that runs already is used again.
local function watch_files(group)
  local stock = vim.lsp.config ~= nil
  if stock then
    vim.lsp.config('toolpath', client.config())
    vim.lsp.enable('toolpath')
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      if not client.of(event.buf) then
        client.attach(event.buf)
      end
    end,
  })
  client.attach_all()
end

local function watch_attach(group)
  client.on_attached = on_attached
  if vim.fn.has('nvim-0.8') == 0 then
    return
  end
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local attached = vim.lsp.get_client_by_id(event.data.client_id)
      if attached and attached.name == 'toolpath' then
        on_attached(event.buf)
      end
    end,
  })
end

-- Starts the server for Toolpath documents and for the source files of workspaces that hold some.
-- For the options see toolpath.options or :help toolpath-options.
function M.setup(chosen)
  options.set(chosen)
  -- An error would be told as one of the file that calls this.
  for _, problem in ipairs(options.problems) do
    message.warn('setup(): ' .. problem)
  end
  -- A plugin manager that adds the folder after start-up does not source plugin/.
  vim.cmd('runtime plugin/toolpath.lua')
  local group = vim.api.nvim_create_augroup('toolpath', { clear = true })
  watch_attach(group)
  lens.watch(group)
  watch_files(group)
  disk.on_focus(group)
  virtual.watch()
  inline.show(options.current.blame.show)
end

-- Who wrote how much of the current buffer, for a status line, such as "claude-code 41 % · alex 38 %".
-- See :help toolpath-statusline.
function M.statusline(chosen)
  return require('toolpath.status').line(chosen)
end

return M
