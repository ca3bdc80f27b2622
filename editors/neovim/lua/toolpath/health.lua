-- :checkhealth toolpath

local client = require('toolpath.client')

local M = {}

-- Neovim 0.7 keeps its reporters in a module, 0.10 names them without report_.
local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local warn = health.warn or health.report_warn
local fail = health.error or health.report_error

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

local function check_buffers()
  local names = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and client.of(bufnr) then
      names[#names + 1] = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':~:.')
    end
  end
  ok(#names == 0 and 'no buffer is attached' or 'attached: ' .. table.concat(names, ', '))
end

function M.check()
  start('toolpath')
  check_server()
  check_git()
  check_buffers()
end

return M
