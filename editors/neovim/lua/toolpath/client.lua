-- The language client: finds the server, starts one per workspace and attaches buffers to it.

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

-- Neovim before 0.12 does not offer refreshes of code lenses; the lens module answers them.
local function capabilities()
  local base = vim.lsp.protocol.make_client_capabilities()
  base = vim.tbl_deep_extend('force', base, { workspace = { codeLens = { refreshSupport = true } } })
  return vim.tbl_deep_extend('force', base, options.current.capabilities or {})
end

local function on_lens_refresh(err, result, ctx)
  require('toolpath.blame').forget()
  require('toolpath.lens').refresh_all()
  local stock = vim.lsp.handlers['workspace/codeLens/refresh']
  return stock and stock(err, result, ctx) or vim.NIL
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
    commands = { ['toolpath.showSteps'] = require('toolpath.lens').show_steps },
    handlers = { ['workspace/codeLens/refresh'] = on_lens_refresh },
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

-- The initialized client of a buffer, or nil.
function M.of(bufnr)
  if vim.lsp.get_clients then
    return vim.lsp.get_clients({ bufnr = bufnr, name = name })[1]
  end
  for _, client in pairs(vim.lsp.buf_get_clients(bufnr)) do
    if client.name == name then
      return client
    end
  end
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
    vim.notify(
      ('toolpath: %s is not executable. Put it on $PATH, run `make build` in the checkout, or set cmd in setup().'):format(cmd[1]),
      vim.log.levels.WARN
    )
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
