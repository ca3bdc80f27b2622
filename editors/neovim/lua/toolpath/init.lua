-- Toolpath for Neovim: setup() and the :Toolpath command.

local blame = require('toolpath.blame')
local client = require('toolpath.client')
local disk = require('toolpath.disk')
local lens = require('toolpath.lens')
local navigate = require('toolpath.navigate')
local options = require('toolpath.options')

local M = {}

local function on_attached(bufnr)
  disk.watch(client.of(bufnr))
  lens.refresh(bufnr)
  blame.on_attached(bufnr)
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
  -- A plugin manager that adds the folder after start-up does not source plugin/.
  vim.cmd('runtime plugin/toolpath.lua')
  local group = vim.api.nvim_create_augroup('toolpath', { clear = true })
  watch_attach(group)
  lens.watch(group)
  watch_files(group)
  disk.on_focus(group)
  blame.show(options.current.blame.show)
end

local commands = {
  parent = function()
    navigate.go('parent')
  end,
  child = function()
    navigate.go('child')
  end,
  head = function()
    navigate.go('head')
  end,
  steps = lens.run_steps,
  blame = function(mode)
    blame.toggle(mode)
  end,
}

local arguments = { blame = { 'line', 'all', 'off' } }

-- Runs :Toolpath with its words.
function M.run(words)
  local command = commands[words[1]]
  if not command then
    local known = table.concat(M.complete('', 'Toolpath '), ', ')
    vim.notify(('toolpath: no command "%s"; there are %s'):format(words[1], known), vim.log.levels.ERROR)
    return
  end
  command(words[2])
end

-- Completes the words of :Toolpath.
function M.complete(lead, line)
  local verb = line:match('^%s*%S+%s+(%S+)%s')
  local words = verb and (arguments[verb] or {}) or vim.tbl_keys(commands)
  words = vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
  table.sort(words)
  return words
end

return M
