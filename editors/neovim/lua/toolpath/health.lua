-- :checkhealth toolpath

local client = require('toolpath.client')
local options = require('toolpath.options')

local M = {}

-- Neovim 0.7 keeps its reporters in a module, 0.10 names them without report_.
local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local fail = health.error or health.report_error

local function check_options()
  if not options.was_set then
    warn("setup() was not called: there are no code lenses, and before Neovim 0.11 no server is started; call require('toolpath').setup()")
  elseif #options.problems == 0 then
    ok('setup() was called, and all options are right')
  else
    ok('setup() was called')
    for _, problem in ipairs(options.problems) do
      fail(problem)
    end
  end
end

local function check_server()
  local cmd, found = client.command()
  if not found then
    fail(cmd[1] .. ' is not executable: put it on $PATH, run `make build` in the checkout, or set cmd in setup()')
    return
  end
  local version = vim.fn.system({ cmd[1], 'version' })
  if vim.v.shell_error ~= 0 then
    fail(('%s version failed: %s'):format(cmd[1], vim.trim(version)))
    return
  end
  ok(('%s: %s'):format(vim.fn.exepath(cmd[1]), vim.trim(version)))
end

local function check_git()
  if vim.fn.executable('git') == 1 then
    ok('git is there: files are replayed from the base commit of their path')
  else
    warn('git is not there: lines that come from a base commit are reported as unrecorded')
  end
end

local function attached_to(server)
  local names = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local own = vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == '' and client.of(bufnr)
    if own and own.id == server.id then
      names[#names + 1] = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
    end
  end
  return names
end

-- What this plugin asks of a server that an older one cannot answer.
local needed = { 'toolpath.stepDiff', 'toolpath.fileAtStep', 'toolpath.fileBeforeStep', 'toolpath.previousTouch', 'toolpath.graph' }

local function check_commands(server)
  local provider = server.server_capabilities.executeCommandProvider
  local known = type(provider) == 'table' and provider.commands or {}
  local missing = vim.tbl_filter(function(command)
    return not vim.tbl_contains(known, command)
  end, needed)
  if #missing > 0 then
    warn('the server is older than this plugin and does not know ' .. table.concat(missing, ', '))
  end
end

local function check_workspaces()
  local servers = client.all()
  if #servers == 0 then
    info('no server runs: open a document, or a file in a workspace that holds one')
  end
  for _, server in ipairs(servers) do
    local root = server.config.root_dir or '(none)'
    ok(('workspace %s, positions in %s'):format(vim.fn.fnamemodify(root, ':~'), server.offset_encoding))
    local names = attached_to(server)
    info(#names == 0 and 'no buffer is attached' or 'attached: ' .. table.concat(names, ', '))
    check_commands(server)
  end
end

function M.check()
  start('toolpath')
  check_options()
  check_server()
  check_git()
  check_workspaces()
end

return M
