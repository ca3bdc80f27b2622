-- The language client: finds the server, starts one per workspace and attaches buffers to it.

local message = require('toolpath.message')
local options = require('toolpath.options')
local workspace = require('toolpath.workspace')

local M = {}

local name = 'toolpath'

-- bin/toolpath-ls of the checkout that holds this plugin.
local function checkout_binary()
  local here = vim.fn.resolve(debug.getinfo(1, 'S').source:sub(2))
  return vim.fn.fnamemodify(here, ':p:h:h:h:h:h') .. '/bin/toolpath-ls'
end

-- The command that starts the server: the user's, else toolpath-ls from $PATH, else the one that
-- `make build` left in this checkout. The second result is false when the program is not there.
function M.command()
  local chosen = options.current.cmd
  if chosen then
    return chosen, vim.fn.executable(chosen[1]) == 1
  end
  for _, program in ipairs({ 'toolpath-ls', checkout_binary() }) do
    if vim.fn.executable(program) == 1 then
      return { program, 'serve', '--stdio' }, true
    end
  end
  return { 'toolpath-ls', 'serve', '--stdio' }, false
end

local function language_of(bufnr, filetype)
  if filetype ~= '' then
    return filetype
  end
  local file = vim.api.nvim_buf_get_name(bufnr)
  return file:match('%.jsonl$') and 'jsonl' or 'plaintext'
end

-- Neovim before 0.12 does not offer refreshes of code lenses; the lens module answers them. Neovim 0.7
-- shows no documents that a server asks for, and none shows virtual ones; the virtual module does.
local function capabilities()
  local base = vim.lsp.protocol.make_client_capabilities()
  base = vim.tbl_deep_extend('force', base, {
    workspace = { codeLens = { refreshSupport = true }, textDocumentContent = { dynamicRegistration = false } },
    window = { showDocument = { support = true } },
  })
  return vim.tbl_deep_extend('force', base, options.current.capabilities or {})
end

local function on_lens_refresh(err, result, ctx)
  require('toolpath.provenance').forget()
  require('toolpath.graph').refresh()
  require('toolpath.lens').refresh_all()
  local stock = vim.lsp.handlers['workspace/codeLens/refresh']
  return stock and stock(err, result, ctx) or vim.NIL
end

-- How often servers that ended by themselves are started again, in all.
local restarts = 5

local function start_again()
  if vim.v.exiting ~= nil and vim.v.exiting ~= vim.NIL then
    return
  end
  if restarts == 0 then
    return message.warn('the server ended too often to be started again by itself; :edit starts it (see :checkhealth toolpath)')
  end
  restarts = restarts - 1
  M.attach_all()
end

-- Starts the server again when it has ended by itself, unless Neovim is about to end. Neovim forgets
-- the old client in a callback that is scheduled after this one.
local function on_exit(code, signal)
  if code ~= 0 or signal ~= 0 then
    vim.schedule(function()
      vim.schedule(start_again)
    end)
  end
end

-- The configuration for vim.lsp.config (0.11), vim.lsp.start (0.8) or vim.lsp.start_client (0.7),
-- without a root_dir for the older two.
function M.config()
  return {
    name = name,
    cmd = M.command(),
    settings = options.current.settings,
    init_options = options.current.settings.toolpath,
    capabilities = capabilities(),
    get_language_id = language_of,
    on_attach = options.current.on_attach,
    on_exit = on_exit,
    commands = { ['toolpath.showSteps'] = require('toolpath.lens').show_steps },
    handlers = {
      ['workspace/codeLens/refresh'] = on_lens_refresh,
      ['window/showDocument'] = require('toolpath.virtual').on_show_document,
    },
    root_dir = function(bufnr, on_dir)
      local root, first = workspace.of(bufnr)
      if root then
        on_dir(root)
      end
      if first then
        vim.schedule(M.attach_all)
      end
    end,
  }
end

-- The buffer variable that holds the workspace that a buffer without a file came from: a virtual
-- document, a graph. Its server may have been started again since.
local origin = 'toolpath_workspace'

-- Says that a buffer came from a client.
function M.remember(bufnr, client)
  vim.b[bufnr][origin] = client.config.root_dir
end

local function of_workspace(root)
  for _, client in ipairs(M.all()) do
    if client.config.root_dir == root then
      return client
    end
  end
end

-- The initialized client that a buffer is attached to or came from, or nil.
function M.of(bufnr)
  local ok, root = pcall(vim.api.nvim_buf_get_var, bufnr, origin)
  if ok then
    return of_workspace(root)
  end
  if vim.lsp.get_clients then
    return vim.lsp.get_clients({ bufnr = bufnr, name = name })[1]
  end
  for _, client in pairs(vim.lsp.buf_get_clients(bufnr)) do
    if client.name == name then
      return client
    end
  end
end

-- All clients that run.
function M.all()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return vim.tbl_filter(function(client)
    return client.name == name and client.initialized
  end, get())
end

-- Sends a request for a buffer, after the changes that the client still holds back. on_result gets
-- (err, result). Returns the id of the request, for cancel, or nil when the server is gone.
function M.request(client, method, params, bufnr, on_result)
  local ok, id
  if vim.fn.has('nvim-0.11') == 1 then
    ok, id = client:request(method, params, on_result, bufnr)
  else
    ok, id = client.request(method, params, on_result, bufnr)
  end
  return ok and id or nil
end

-- Why a request failed, in one line.
function M.reason(err)
  return type(err) == 'table' and err.message or tostring(err)
end

-- Sends a request as M.request does, and calls on_result(result) when it succeeds; a result of null is
-- nil. Whatever goes wrong is told to the user.
function M.ask(client, method, params, bufnr, on_result)
  local id = M.request(client, method, params, bufnr, function(err, result)
    if err then
      return message.warn(M.reason(err))
    end
    if result == vim.NIL then
      result = nil
    end
    on_result(result)
  end)
  if not id then
    message.warn('the server is gone; :edit starts it again')
  end
end

-- Asks for the steps of the current document, or those that touched the current file, and calls
-- on_answer(server, answer, bufnr) if there are some; else the user is told nothing_there.
function M.ask_steps(nothing_there, on_answer)
  local server, bufnr = M.here()
  if not server then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  M.ask(server, 'toolpath/steps', params, bufnr, function(answer)
    if not answer or #answer.steps == 0 then
      return message.say(nothing_there)
    end
    on_answer(server, answer, bufnr)
  end)
end

-- Runs one of the server's commands, as M.ask.
function M.execute(client, command, argument, bufnr, on_result)
  local provider = client.server_capabilities.executeCommandProvider
  if type(provider) ~= 'table' or not vim.tbl_contains(provider.commands or {}, command) then
    return message.warn(('this server has no command %s; update toolpath-ls'):format(command))
  end
  M.ask(client, 'workspace/executeCommand', { command = command, arguments = { argument } }, bufnr, on_result)
end

-- Waits for the answer to a request, for so many milliseconds at most. Returns nil and why without one.
function M.wait_for(client, method, params, bufnr, milliseconds)
  local answer, err
  if vim.fn.has('nvim-0.11') == 1 then
    answer, err = client:request_sync(method, params, milliseconds, bufnr)
  else
    answer, err = client.request_sync(method, params, milliseconds, bufnr)
  end
  if not answer or answer.err then
    return nil, answer and M.reason(answer.err) or err or 'the server is gone'
  end
  return answer.result ~= vim.NIL and answer.result or nil
end

-- Tells the user that a buffer has no client, and why.
function M.say_none(bufnr)
  if workspace.of(bufnr) then
    return message.warn('the server is not there yet, or has ended; :edit starts it (see :checkhealth toolpath)')
  end
  message.warn('no server for this buffer (see :help toolpath-setup)')
end

-- The client of the current buffer; without one the user is told.
function M.here()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = M.of(bufnr)
  if not client then
    M.say_none(bufnr)
  end
  return client, bufnr
end

function M.notify(client, method, params)
  if vim.fn.has('nvim-0.11') == 1 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

function M.cancel(client, id)
  if vim.fn.has('nvim-0.11') == 1 then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

-- Neovim 0.7 has no vim.lsp.start: workspace folder -> id of its client.
local started = {}

local function start_once(config)
  local id = started[config.root_dir]
  if not (id and vim.lsp.get_client_by_id(id)) then
    id = vim.lsp.start_client(config)
    started[config.root_dir] = id
  end
  return id
end

local function start(bufnr, root)
  local config = vim.lsp.config and vim.deepcopy(vim.lsp.config[name]) or M.config()
  config.root_dir = root
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = bufnr })
    return
  end
  local on_attach = config.on_attach
  config.on_attach = function(client, attached)
    M.on_attached(attached)
    if on_attach then
      on_attach(client, attached)
    end
  end
  local id = start_once(config)
  if id then
    vim.lsp.buf_attach_client(bufnr, id)
  end
end

local warned = false

local function warn_missing(cmd)
  if not warned then
    warned = true
    message.warn(('%s is not executable. Put it on $PATH, run `make build` in the checkout, or set cmd in setup().'):format(cmd[1]))
  end
end

-- Attaches a buffer when it belongs to Toolpath. The first document of a workspace also brings in
-- the source files that were opened before it.
function M.attach(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local root, first = workspace.of(bufnr)
  if not root then
    return
  end
  local cmd, found = M.command()
  if not found then
    return warn_missing(cmd)
  end
  start(bufnr, root)
  if first then
    M.attach_all()
  end
end

function M.attach_all()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

-- What to do when the server has attached to a buffer; set by setup().
function M.on_attached(_) end

return M
